import { purgeIdempotencyKeys } from '../../src/platform/rest/idempotency.js';
import type { Handler } from '../task.js';

/** Forgets stored responses that are too old to be replayed. */
export const purgeIdempotencyKeysTask: Handler<'purge-idempotency-keys'> = async (ctx) => {
  await purgeIdempotencyKeys(ctx.em, ctx.clock.now());
};
