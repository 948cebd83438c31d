import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** Gives the licenses of one user to another; resolves to them. */
export async function moveLicenses(
  em: EntityManager,
  fromId: number,
  toId: number,
  now: Date,
): Promise<{ id: number; key: string }[]> {
  // In id order, so that two who change many licenses at once don't lock each other out.
  const { rows } = await sql<{ id: number; key: string }>`
    with moving as (select id from license where user_id = ${fromId} order by id for no key update)
    update license l set user_id = ${toId}, updated_at = ${now}
      from moving where moving.id = l.id
    returning l.id, l.key`.execute(em.getKysely());
  return rows;
}

export interface MovedIdentity {
  readonly id: number;
  readonly provider: string;
  readonly providerId: string;
  readonly metadata: Record<string, unknown>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Gives the identities of one user to another; resolves to them. */
export async function moveIdentities(
  em: EntityManager,
  fromId: number,
  toId: number,
  now: Date,
): Promise<MovedIdentity[]> {
  const { rows } = await sql<Omit<MovedIdentity, 'updatedAt'> & { createdAt: string }>`
    update identity set user_id = ${toId}, updated_at = ${now} where user_id = ${fromId}
    returning id, provider, provider_id as "providerId", metadata, created_at as "createdAt"`.execute(
    em.getKysely(),
  );
  return rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt), updatedAt: now }));
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
