import type { ModuleContext } from '../define-module.js';
import { discordIdOf } from './held-products.rules.js';
import type { HolderRoles } from './holder-roles.js';

/** What may change who holds a valid license. */
const CHANGES = ['license.*', 'user.*', 'identity.linked'];
/** After a look at everyone that was made for a change, so many times as long as it took nothing is looked at. */
const REST_FACTOR = 10;

/**
 * Keeps everyone's roles as their licenses are: looks at all of them every so often, when a license expires, and soon
 * after something has changed; at one who is unlinked at once.
 */
export function keepRoles(ctx: ModuleContext, roles: HolderRoles): void {
  let dueAt = 0;
  let restsUntil = 0;
  const lookNow = () => {
    dueAt = restsUntil = 0;
  };
  const lookSoon = () => {
    dueAt = 0;
  };
  ctx.onReady(async () => {
    lookNow();
    await roles.ofUnlinkedMeanwhile();
  });
  ctx.onConfig(lookNow);
  for (const pattern of CHANGES) ctx.onEvent(pattern, lookSoon);
  ctx.onEvent('identity.unlinked', async ({ resource }) => {
    const id = discordIdOf(resource.id);
    if (id !== undefined) await roles.ofUnlinked(id);
  });
  // A timer may take its time, where a hook may not: there may be many members.
  ctx.every(1, async () => {
    const now = ctx.now().getTime();
    if (!ctx.client || now < dueAt || now < restsUntil) return;
    dueAt = now + Number(ctx.setting('roles', 'interval')) * 1000;
    const expiry = await roles.ofAll();
    dueAt = Math.min(dueAt, expiry);
    const end = ctx.now().getTime();
    restsUntil = end + (end - now) * REST_FACTOR;
  });
}
