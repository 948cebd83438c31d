import { compactLicenseCounts } from '../../src/licensing/dashboard/dashboard.service.js';
import type { Handler } from '../task.js';

/** Adds up the noted differences in the number of licenses, which every change appends to. */
export const addUpCountsTask: Handler<'add-up-counts'> = async (ctx) => {
  await compactLicenseCounts(ctx.em);
};
