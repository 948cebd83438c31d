import { refreshReleases } from '../../src/licensing/files/release-list.service.js';
import type { Handler } from '../task.js';

/** Asks the storage provider what is new in the repositories that files name. */
export const refreshReleasesTask: Handler<'refresh-releases'> = async (ctx) => {
  await refreshReleases(ctx.em, ctx);
};
