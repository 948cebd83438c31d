import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';
import { NotFound } from '../../platform/errors.js';
import { emit, emitMany } from '../events.js';
import { refOfIdentity } from '../identities/identity.service.js';
import { releaseLicenses } from '../licenses/license-release.service.js';
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
  const db = em.getKysely();
  const identities = await sql<{ provider: string; providerId: string }>`
    delete from identity where user_id = ${user.id}
    returning provider, provider_id as "providerId"`.execute(db);
  const tombstones = await sql<{ userId: string }>`
    delete from app_user where merged_into = ${user.id} returning user_id as "userId"`.execute(db);
  em.remove(user);
  await em.flush();
  await emitMany(
    em,
    ctx,
    'identity.unlinked',
    identities.rows.map((identity) => ({
      resource: refOfIdentity(identity),
      changes: { user_id: [userId, null] },
    })),
  );
  await emitMany(
    em,
    ctx,
    'user.deleted',
    tombstones.rows.map((tombstone) => ({ resource: refOfUser(tombstone) })),
  );
  await emit(em, ctx, 'user.deleted', { resource: { type: 'user', id: userId } });
}
