import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { DomainError, NotFound } from '../../platform/errors.js';
import { addIdentity, lockIdentity } from '../identities/identity.service.js';
import { maskKey } from '../licenses/license-key.rules.js';
import { updateLicense } from '../licenses/license.service.js';
import type { User } from '../users/user.entity.js';
import { referencedUser } from '../users/user-reference.service.js';
import { userIdByIdentity } from '../users/user.repository.js';
import { accountOf, lockAccount } from './account.repository.js';
import { announcePurchases } from './announce-purchases.service.js';
import { claimLicense, findClaimable, findPurchaseId } from './claim.repository.js';
import type { Claimable } from './claim.repository.js';

export interface Claim {
  readonly success: true;
  /** The license's key. */
  readonly license: string;
  /** Public id of the user who has it now. */
  readonly userId: string;
}

/**
 * Gives the license of a purchase to a user, against its redeem code, however typed, or its sale id. By the same user
 * again it is the same answer. The user's account at the marketplace is linked too, unless somebody has it already.
 *
 * Throws `PURCHASE_NOT_FOUND` (404), 422 for a user that doesn't exist, and 409 `ALREADY_CLAIMED` by somebody else,
 * `PURCHASE_REFUNDED`, or `PURCHASE_PENDING` where there is no license to give.
 */
export async function claimPurchase(
  em: EntityManager,
  ctx: ActionContext,
  userId: string,
  redeem: string,
): Promise<Claim> {
  const account = await accountOf(em, await purchaseIdOf(em, redeem));
  if (account) await lockAccount(em, account);
  const user = await referencedUser(em, userId, 'userId');
  // Looked for again: before the lock, the code may have gone over to another purchase of the account.
  const purchase = await findClaimable(em, await purchaseIdOf(em, redeem));
  const license = claimableLicense(purchase, user, redeem);
  if (purchase.userId !== user.id) {
    await updateLicense(em, ctx, license, { userId: user.userId });
    if (account) await linkBuyer(em, ctx, user, { ...account, username: purchase.username });
    const claimed = await claimLicense(em, purchase.licenseId, user.id, ctx.clock.now());
    const changes = { user_id: [null, user.userId], status: ['pending', 'claimed'] } as const;
    await announcePurchases(em, ctx, 'purchase.claimed', [{ ...claimed, changes }]);
  }
  return { success: true, license, userId: user.userId };
}

async function purchaseIdOf(em: EntityManager, redeem: string): Promise<number> {
  const id = await findPurchaseId(em, redeem);
  if (id === undefined) throw new NotFound('purchase', maskKey(redeem));
  return id;
}

/** The key of the license that this user may have; throws for one that it may not. */
function claimableLicense(purchase: Claimable, user: User, redeem: string): string {
  const shown = maskKey(redeem);
  if (purchase.status === 'refunded' || purchase.status === 'chargeback')
    throw conflict('PURCHASE_REFUNDED', `The marketplace took the purchase ${shown} back`);
  // Also one that an administrator gave to somebody by hand.
  const owner = purchase.userId ?? purchase.licenseUserId;
  if (owner !== null && owner !== user.id)
    throw conflict('ALREADY_CLAIMED', `Another user has claimed the purchase ${shown}`);
  if (purchase.licenseKey === null) {
    const reason = purchase.problem ?? 'its license was deleted, or is about to be made';
    throw conflict('PURCHASE_PENDING', `The purchase ${shown} has no license to claim: ${reason}`);
  }
  return purchase.licenseKey;
}

const TITLES = {
  PURCHASE_REFUNDED: 'Purchase refunded',
  ALREADY_CLAIMED: 'Already claimed',
  PURCHASE_PENDING: 'Purchase pending',
} as const;

function conflict(code: keyof typeof TITLES, message: string): DomainError {
  return new DomainError(code, 409, TITLES[code], message);
}

/** Whoever claims what an account has bought is its owner, as far as we know; an account that is linked stays where it is. */
async function linkBuyer(
  em: EntityManager,
  ctx: ActionContext,
  user: User,
  buyer: { readonly marketplace: string; readonly purchaserId: string; readonly username: string | null },
): Promise<void> {
  const identity = { provider: buyer.marketplace, providerId: buyer.purchaserId };
  await lockIdentity(em, identity.provider, identity.providerId);
  if ((await userIdByIdentity(em, identity.provider, identity.providerId)) !== undefined) return;
  const metadata = buyer.username === null ? {} : { username: buyer.username };
  await addIdentity(em, ctx, user, { ...identity, metadata });
}
