import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** Gives the licenses of one user to another; resolves to their keys. */
export async function moveLicenses(
  em: EntityManager,
  fromId: number,
  toId: number,
  now: Date,
): Promise<string[]> {
  // In id order, so that two who change many licenses at once don't lock each other out.
  const { rows } = await sql<{ key: string }>`
    with moving as (select id from license where user_id = ${fromId} order by id for no key update)
    update license l set user_id = ${toId}, updated_at = ${now}
      from moving where moving.id = l.id
    returning l.key`.execute(em.getKysely());
  return rows.map((row) => row.key);
}

/** Gives the identities of one user to another; resolves to them. */
export async function moveIdentities(
  em: EntityManager,
  fromId: number,
  toId: number,
  now: Date,
): Promise<{ provider: string; providerId: string }[]> {
  const { rows } = await sql<{ provider: string; providerId: string }>`
    update identity set user_id = ${toId}, updated_at = ${now} where user_id = ${fromId}
    returning provider, provider_id as "providerId"`.execute(em.getKysely());
  return rows;
}

/** Lets the tombstones that lead to one user lead to another, so that none is ever more than one step away. */
export async function moveTombstones(
  em: EntityManager,
  fromId: number,
  toId: number,
  now: Date,
): Promise<void> {
  await sql`
    update app_user set merged_into = ${toId}, updated_at = ${now} where merged_into = ${fromId}`.execute(
    em.getKysely(),
  );
}
