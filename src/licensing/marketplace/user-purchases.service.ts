import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { announcePurchases } from './announce-purchases.service.js';
import { movePurchases, releasePurchases } from './claim.repository.js';

interface UserRef {
  readonly id: number;
  readonly userId: string;
}

/** Gives what one user has claimed to another, when the two become one. After their licenses. */
export async function moveUserPurchases(
  em: EntityManager,
  ctx: ActionContext,
  from: UserRef,
  to: UserRef,
): Promise<void> {
  const moved = await movePurchases(em, from.id, to.id, ctx.clock.now());
  const changes = { user_id: [from.userId, to.userId] } as const;
  await announcePurchases(
    em,
    ctx,
    'purchase.claimed',
    moved.map((purchase) => ({ ...purchase, changes })),
  );
}

/** Before a user goes: what it has claimed may be claimed again. After its licenses. */
export async function releaseUserPurchases(
  em: EntityManager,
  ctx: ActionContext,
  user: UserRef,
): Promise<void> {
  const released = await releasePurchases(em, user.id, ctx.clock.now());
  await announcePurchases(
    em,
    ctx,
    'purchase.released',
    released.map(({ id, saleId, was, is }) => ({
      ...{ id, saleId },
      changes: { user_id: [user.userId, null], ...(was === is ? {} : { status: [was, is] as const }) },
    })),
  );
}
