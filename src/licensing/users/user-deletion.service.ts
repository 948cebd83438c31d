import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { NotFound } from '../../platform/errors.js';
import { emit, emitMany } from '../events.js';
import { identityData } from '../identities/identity-data.rules.js';
import { Identity } from '../identities/identity.entity.js';
import { refOfIdentity } from '../identities/identity.service.js';
import { releaseLicenses } from '../licenses/license-release.service.js';
import { releaseUserPurchases } from '../marketplace/user-purchases.service.js';
import { userData } from './user-data.rules.js';
import { User } from './user.entity.js';
import { refOfUser } from './user.service.js';

/**
 * Deletes a user with its identities and the tombstones that lead to it. One with licenses is `IN_USE`, unless `force`,
 * which unlinks and suspends them. The id of a merged user deletes its tombstone only: a merge is followed to find
 * somebody, never to delete somebody else.
 */
export async function deleteUser(
  em: EntityManager,
  ctx: ActionContext,
  userId: string,
  options: { readonly force: boolean },
): Promise<void> {
  const user = await em.findOne(User, { userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!user) throw new NotFound('user', userId);
  await releaseLicenses(em, ctx, { column: 'user_id', record: 'user', id: user.id, name: userId }, options);
  await releaseUserPurchases(em, ctx, user);
  // Locked: who is unlinked or deleted at the same moment is announced by one of the two alone.
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } } as const;
  const identities = await em.find(Identity, { user }, locked);
  const tombstones = await em.find(User, { mergedInto: user }, locked);
  const mergedInto = user.mergedInto && (await user.mergedInto.loadProperty('userId'));
  const unlinked = identities.map((identity) => ({
    resource: refOfIdentity(identity),
    changes: { user_id: [userId, null] as const },
    data: identityData(identity, userId),
  }));
  const deleted = tombstones.map((tombstone) => ({
    resource: refOfUser(tombstone),
    data: userData(tombstone, { mergedInto: userId }),
  }));
  const last = {
    resource: refOfUser(user),
    data: userData(user, mergedInto === null ? {} : { mergedInto }),
  };
  for (const row of [...identities, ...tombstones, user]) em.remove(row);
  await em.flush();
  await emitMany(em, ctx, 'identity.unlinked', unlinked);
  await emitMany(em, ctx, 'user.deleted', deleted);
  await emit(em, ctx, 'user.deleted', last);
}
