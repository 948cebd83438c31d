import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** A seat to be taken or renewed. */
export interface SessionRequest {
  readonly licenseId: number;
  /** -1: unlimited. */
  readonly seats: number;
  readonly identifier: string;
  /** The token a new session gets; a renewed one keeps its own. */
  readonly token: string;
  readonly ip: string;
  readonly agent: string;
  readonly ttlSeconds: number;
  readonly now: Date;
}

/**
 * Takes a seat, or renews the one this identifier has, in one round trip (`open_session`, in the first migration).
 * Resolves to the session's token, or undefined when every seat is taken. Exact under any number of callers.
 */
export async function openSession(em: EntityManager, request: SessionRequest): Promise<string | undefined> {
  const { licenseId, seats, identifier, token, ip, agent, ttlSeconds, now } = request;
  const { rows } = await sql<{ token: string }>`
    select token from open_session(${licenseId}::integer, ${seats}::integer, ${identifier}::text, ${token}::text,
      ${ip}::text, ${agent}::text, ${ttlSeconds}::integer, ${now}::timestamptz)`.execute(em.getKysely());
  return rows[0]?.token;
}

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
