import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { findPage } from '../../platform/db/page.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import type { LicenseStanding } from '../licenses/license-standing.rules.js';
import type { SessionChangeKind } from './session-change.js';
import { Session } from './session.entity.js';

/** Ends every open session of a license. Expired ones are left to the job, which announces them as what they are. */
export async function closeSessionsOf(em: EntityManager, licenseId: number, now: Date): Promise<void> {
  await sql`
    with removed as (
      delete from session where license_id = ${licenseId} and expires_at > ${now} returning *
    )
    select ${toldAs('REVOKED', now)} from removed`.execute(em.getKysely());
}

/** A session that is no more, as its event tells it. */
export interface EndedSession {
  readonly token: string;
  readonly licenseKey: string | null;
  readonly product: string | null;
  readonly identifier: string;
  readonly ip: string;
  readonly agent: string;
  readonly lastSeen: Date;
  readonly expiresAt: Date;
}

type EndedRow = Omit<EndedSession, 'lastSeen' | 'expiresAt'> & {
  readonly lastSeen: string;
  readonly expiresAt: string;
};

/** Tells subscribers how what a statement calls `removed` has ended. */
function toldAs(change: Exclude<SessionChangeKind, 'OPENED'>, now: Date): RawBuilder<unknown> {
  return sql`notify_session_change(${change}, removed.id, removed.license_id, removed.identifier, ${now})`;
}

/** What a statement calls `removed`, for its event. */
const endedSessions = (told: RawBuilder<unknown>) => sql<EndedRow>`
  select ${told}, removed.token, license.key as "licenseKey", product.name as product, removed.identifier, removed.ip,
         removed.agent, removed.last_seen as "lastSeen", removed.expires_at as "expiresAt"
    from removed left join license on license.id = removed.license_id
         left join product on product.id = license.product_id`;

function endedOf({ lastSeen, expiresAt, ...session }: EndedRow): EndedSession {
  return { ...session, lastSeen: new Date(lastSeen), expiresAt: new Date(expiresAt) };
}

/** Sessions of which some had expired: how many were looked at, and those that have been removed. */
export interface ExpiryRound {
  readonly looked: number;
  readonly expired: readonly EndedSession[];
}

/**
 * Looks at up to `limit` sessions that are due and that no one else is just looking at, removing or renewing: removes
 * those that have expired, and puts the others off until they would. In a transaction.
 */
export async function removeExpiredSessions(
  em: EntityManager,
  now: Date,
  limit: number,
): Promise<ExpiryRound> {
  const db = em.getKysely();
  const { rows: due } = await sql<{ token: string; hasExpired: boolean }>`
    select token, expires_at <= ${now} as "hasExpired" from session
     where expiry_due_at <= ${now} order by expiry_due_at limit ${limit}
       for update skip locked`.execute(db);
  const tokens = (hasExpired: boolean) =>
    due.filter((session) => session.hasExpired === hasExpired).map(({ token }) => token);
  await sql`
    update session set expiry_due_at = expires_at where token = any(${tokens(false)})`.execute(db);
  const { rows } = await sql<EndedRow>`
    with removed as (delete from session where token = any(${tokens(true)}) returning *)
    ${endedSessions(toldAs('EXPIRED', now))}`.execute(db);
  return { looked: due.length, expired: rows.map(endedOf) };
}

/** Which sessions; all that is given must hold. */
export interface SessionFilter {
  readonly token?: string | undefined;
  readonly licenseId?: number | undefined;
  readonly identifier?: string | undefined;
}

/** Open sessions, in the order in which they were opened. */
export async function findOpenSessions(
  em: EntityManager,
  { token, licenseId, identifier }: SessionFilter,
  now: Date,
  request: PageRequest,
): Promise<RowPage<Session>> {
  const where: FilterQuery<Session>[] = [{ expiresAt: { $gt: now } }];
  if (token !== undefined) where.push({ token });
  if (licenseId !== undefined) where.push({ licenseId });
  if (identifier !== undefined) where.push({ identifier });
  return findPage(em, Session, { $and: where }, request);
}

/** Removes open sessions. Expired ones are left to the job, which announces them as what they are. */
export async function removeOpenSessions(
  em: EntityManager,
  change: 'CLOSED' | 'REVOKED',
  { token, licenseId, identifier }: SessionFilter,
  now: Date,
): Promise<EndedSession[]> {
  const all: RawBuilder<boolean>[] = [sql<boolean>`expires_at > ${now}`];
  if (token !== undefined) all.push(sql<boolean>`token = ${token}`);
  if (licenseId !== undefined) all.push(sql<boolean>`license_id = ${licenseId}`);
  if (identifier !== undefined) all.push(sql<boolean>`identifier = ${identifier}`);
  const { rows } = await sql<EndedRow>`
    with removed as (delete from session where ${sql.join(all, sql` and `)} returning *)
    ${endedSessions(toldAs(change, now))}`.execute(em.getKysely());
  return rows.map(endedOf);
}

/** A session as a heartbeat finds it, and how its license stands. */
export interface SessionStanding extends LicenseStanding {
  readonly sessionExpiresAt: Date;
}

/** Undefined for a token that no session has, or whose license is gone. */
export async function findSessionStanding(
  em: EntityManager,
  token: string,
): Promise<SessionStanding | undefined> {
  if (token.includes('\u0000')) return undefined;
  type Row = Omit<SessionStanding, 'expiresAt' | 'sessionExpiresAt'> & {
    expiresAt: string | null;
    until: string;
  };
  const { rows } = await sql<Row>`
    select l.id as "licenseId", l.status, l.expires_at as "expiresAt", u.status as "userStatus", s.expires_at as until
      from session s join license l on l.id = s.license_id left join app_user u on u.id = l.user_id
     where s.token = ${token}`.execute(em.getKysely());
  const [row] = rows;
  if (!row) return undefined;
  const expiresAt = row.expiresAt === null ? null : new Date(row.expiresAt);
  return { ...row, expiresAt, sessionExpiresAt: new Date(row.until) };
}

/** How many seats of each license are in use; licenses without one are absent. */
export async function countOpenSessionsOf(
  em: EntityManager,
  licenseIds: readonly number[],
  now: Date,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ license_id: number; count: number }>`
    select license_id, count(*)::integer as count from session
     where license_id = any(${licenseIds}) and expires_at > ${now} group by license_id`.execute(
    em.getKysely(),
  );
  return new Map(rows.map((row) => [row.license_id, row.count]));
}
