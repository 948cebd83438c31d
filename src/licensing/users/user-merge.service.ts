import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';
import { InvalidField, NotFound } from '../../platform/errors.js';
import { emit, emitMany } from '../events.js';
import { identityData } from '../identities/identity-data.rules.js';
import { refOfIdentity } from '../identities/identity.service.js';
import { licensesDataTogether } from '../licenses/license-data.repository.js';
import { maskKey } from '../licenses/license-key.rules.js';
import { moveUserPurchases } from '../marketplace/user-purchases.service.js';
import { userData } from './user-data.rules.js';
import { User } from './user.entity.js';
import { moveIdentities, moveLicenses, moveTombstones } from './user-merge.repository.js';
import { reachedUserIds } from './user.repository.js';
import { refOfUser } from './user.service.js';

/** Public ids of the two users that a merge was really about, merged ones followed. */
export interface Merged {
  readonly from: string;
  readonly to: string;
}

/**
 * Makes two users one: `to` gets the licenses, identities and purchases of `from`, and with the licenses their sessions.
 * `from` stays as a tombstone, by which `to` is found from then on.
 *
 *   active, banned ──merge as `from`──► merged (final; points to a user that is not merged)
 *   active         ──merge as `to`, with a banned one──► banned: nobody gets rid of a ban by a merge
 *
 * Throws `USER_NOT_FOUND` (404), or 422 when both are the same user, which they also are once they were merged.
 */
export async function mergeUsers(
  em: EntityManager,
  ctx: ActionContext,
  fromUserId: string,
  toUserId: string,
): Promise<Merged> {
  const { from, to } = await lockBoth(em, fromUserId, toUserId);
  const now = ctx.clock.now();
  const wasBanned = from.status === 'banned';
  const changes = { user_id: [from.userId, to.userId] } as const;
  const licenses = await moveLicenses(em, from.id, to.id, now);
  const identities = await moveIdentities(em, from.id, to.id, now);
  await moveTombstones(em, from.id, to.id, now);
  const status = [from.status, 'merged'] as const;
  from.status = 'merged';
  from.mergedInto = em.getReference(User, to.id, { wrapped: true });
  from.updatedAt = now;
  const isNewlyBanned = wasBanned && to.status !== 'banned';
  if (isNewlyBanned) {
    to.status = 'banned';
    to.updatedAt = now;
  }
  await em.flush();
  const dataOf = licensesDataTogether(
    em,
    licenses.map(({ id }) => id),
  );
  await emitMany(
    em,
    ctx,
    'license.updated',
    licenses.map(({ id, key }) => ({
      resource: { type: 'license', id: maskKey(key) },
      changes,
      data: dataOf(id),
    })),
  );
  await emitMany(
    em,
    ctx,
    'identity.linked',
    identities.map((identity) => ({
      resource: refOfIdentity(identity),
      changes,
      data: identityData(identity, to.userId),
    })),
  );
  await moveUserPurchases(em, ctx, from, to);
  await emit(em, ctx, 'user.merged', {
    resource: refOfUser(from),
    changes: { status, merged_into: [null, to.userId] },
    data: userData(from, { mergedInto: to.userId }),
  });
  if (isNewlyBanned) {
    await emit(em, ctx, 'user.banned', {
      resource: refOfUser(to),
      changes: { status: ['active', 'banned'] },
      data: userData(to),
    });
  }
  return { from: from.userId, to: to.userId };
}

/**
 * Both users, locked in id order and looked at again once they are locked: another change may have come first.
 *
 * Merges also wait for each other as a whole. The rows alone would be enough for two of them; but one that finds a
 * tombstone after its wait must lock a third user, and many at once would then lock each other out.
 */
async function lockBoth(
  em: EntityManager,
  fromUserId: string,
  toUserId: string,
): Promise<{ from: User; to: User }> {
  await sql`select pg_advisory_xact_lock(hashtext('user.merge'))`.execute(em.getKysely());
  for (;;) {
    const [fromId] = await reachedUserIds(em, [fromUserId]);
    if (fromId === undefined) throw new NotFound('user', fromUserId);
    const [toId] = await reachedUserIds(em, [toUserId]);
    if (toId === undefined) throw new NotFound('user', toUserId);
    const users = await em.find(
      User,
      { id: { $in: [fromId, toId] }, status: { $ne: 'merged' } },
      { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    const from = users.find((user) => user.id === fromId);
    const to = users.find((user) => user.id === toId);
    if (!from || !to) continue;
    if (from === to) {
      throw new InvalidField('to', `must be another user than from; both are ${JSON.stringify(to.userId)}`);
    }
    return { from, to };
  }
}
