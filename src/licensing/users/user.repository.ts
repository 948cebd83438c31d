import { LockMode, raw } from '@mikro-orm/core';
import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { escapeLike } from '../../platform/db/escape-like.js';
import { findPage } from '../../platform/db/page.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import { User } from './user.entity.js';
import type { UserStatus } from './user.entity.js';

/**
 * The ids of the users that public ids reach, each once: a merged one leads to the user it was merged into. One step is
 * always enough, since a merge also takes along what points to the user that goes.
 */
export async function reachedUserIds(em: EntityManager, userIds: readonly string[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct coalesce(merged_into, id) as id from app_user where user_id = any(${userIds})`.execute(
    em.getKysely(),
  );
  return rows.map((row) => row.id);
}

/** The ids of all users with this e-mail address, whatever its case; merged ones lead to their user. */
export async function userIdsByEmail(em: EntityManager, email: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct coalesce(merged_into, id) as id from app_user where lower(email) = lower(${email})`.execute(
    em.getKysely(),
  );
  return rows.map((row) => row.id);
}

/** The id of the user who has an identity; undefined when nobody has. */
export async function userIdByIdentity(
  em: EntityManager,
  provider: string,
  providerId: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select user_id as id from identity where provider = ${provider} and provider_id = ${providerId}`.execute(
    em.getKysely(),
  );
  return rows[0]?.id;
}

/**
 * Who is reached by a public id, locked until the transaction ends: `update` to change the user, `share` to refer to
 * it, which keeps it from being merged or deleted until the reference is there to be taken along. Null: nobody.
 */
export async function lockUser(
  em: EntityManager,
  userId: string,
  purpose: 'update' | 'share',
): Promise<User | null> {
  const lockMode = purpose === 'update' ? LockMode.PESSIMISTIC_WRITE : LockMode.PESSIMISTIC_READ;
  for (;;) {
    const [id] = await reachedUserIds(em, [userId]);
    if (id === undefined) return null;
    const user = await em.findOne(User, { id }, { lockMode, refresh: true });
    // Merged or deleted while we waited for the lock: whoever is reached now is another one.
    if (user && user.status !== 'merged') return user;
  }
}

export interface UserFilter {
  /** Public ids; merged ones lead to their user. */
  readonly userIds?: readonly string[] | null;
  /** The whole address, whatever its case. */
  readonly email?: string | null;
  readonly emailContains?: string | null;
  readonly status?: UserStatus | null;
  /** Has an identity of this provider. */
  readonly provider?: string | null;
}

export async function findUsers(
  em: EntityManager,
  filter: UserFilter,
  request: PageRequest,
): Promise<RowPage<User>> {
  const all: FilterQuery<User>[] = [];
  if (filter.userIds != null) all.push({ id: { $in: await reachedUserIds(em, filter.userIds) } });
  if (filter.email != null) {
    all.push({ [raw((alias) => `lower(${alias}.email)`)]: raw('lower(?)', [filter.email]) });
  }
  if (filter.emailContains != null) all.push({ email: { $ilike: `%${escapeLike(filter.emailContains)}%` } });
  if (filter.status != null) all.push({ status: filter.status });
  if (filter.provider != null) {
    const users = raw('(select user_id from identity where provider = ?)', [filter.provider]);
    all.push({ id: { $in: users as unknown as number[] } });
  }
  return findPage(em, User, { $and: all }, request);
}
