import { purgeRateLimits } from '../../src/platform/limits/shared-store.js';
import type { Handler } from '../task.js';

/** Forgets shared counters whose window is over. */
export const purgeRateLimitsTask: Handler<'purge-rate-limits'> = async (ctx) => {
  await purgeRateLimits(ctx.em, ctx.clock.now());
};
