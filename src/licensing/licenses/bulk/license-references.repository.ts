import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { whitelistsByName } from '../../whitelists/whitelist.repository.js';
import type { Named, ReferredNames, References } from './license-plan.rules.js';

/**
 * The records behind the names, a statement a kind at most. Users can be neither merged nor deleted until the
 * transaction ends, and whitelists not be deleted; the other references are held by their foreign keys.
 */
export async function findReferences(em: EntityManager, names: ReferredNames): Promise<References> {
  return {
    // Ahead of any license, as a merge does: in the other order the two would lock each other out.
    userId: await lockUsers(em, [...names.userId]),
    product: await findNamed(em, 'product', [...names.product]),
    customer: await findNamed(em, 'customer', [...names.customer]),
    addons: await findNamed(em, 'addon', [...names.addons]),
    whitelists: names.whitelists.size === 0 ? new Map() : await whitelistsByName(em, [...names.whitelists]),
  };
}

async function findNamed(
  em: EntityManager,
  table: 'product' | 'customer' | 'addon',
  names: readonly string[],
): Promise<Map<string, Named>> {
  if (names.length === 0) return new Map();
  const { rows } = await sql<Named>`
    select id, name from ${sql.table(table)} where name = any(${names}::text[])`.execute(em.getKysely());
  return new Map(rows.map((row) => [row.name, row]));
}

interface ReachedUser {
  /** As it was asked for; a merged one leads to another user. */
  readonly asked: string;
  readonly id: number;
  readonly name: string;
}

async function lockUsers(em: EntityManager, userIds: readonly string[]): Promise<Map<string, Named>> {
  const db = em.getKysely();
  while (userIds.length > 0) {
    const { rows: reached } = await sql<ReachedUser>`
      select u.user_id as asked, r.id, r.user_id as name
        from app_user u join app_user r on r.id = coalesce(u.merged_into, u.id)
       where u.user_id = any(${userIds}::text[])`.execute(db);
    const ids = [...new Set(reached.map(({ id }) => id))];
    const { rows: locked } = await sql`
      select id from app_user where id = any(${ids}) and status <> 'merged' order by id for share`.execute(
      db,
    );
    // Otherwise somebody was merged or deleted while we waited for the lock, and others are reached now.
    if (locked.length === ids.length)
      return new Map(reached.map(({ asked, id, name }) => [asked, { id, name }]));
  }
  return new Map();
}
