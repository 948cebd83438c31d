import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** Closes every session of a license. */
export async function closeSessionsOf(em: EntityManager, licenseId: number): Promise<void> {
  await sql`delete from session where license_id = ${licenseId}`.execute(em.getKysely());
}

export interface ExpiredSession {
  readonly identifier: string;
  readonly licenseKey: string | null;
}

/** Removes up to `limit` expired sessions that no one else is just removing or renewing. */
export async function removeExpiredSessions(
  em: EntityManager,
  now: Date,
  limit: number,
): Promise<ExpiredSession[]> {
  const { rows } = await sql<ExpiredSession>`
    with gone as (
      select token from session where expires_at <= ${now} order by expires_at limit ${limit}
      for update skip locked
    ), removed as (
      delete from session s using gone where s.token = gone.token and s.expires_at <= ${now}
      returning s.identifier, s.license_id
    )
    select removed.identifier, license.key as "licenseKey"
      from removed left join license on license.id = removed.license_id`.execute(em.getKysely());
  return rows;
}
