import type { EntityManager } from '@mikro-orm/postgresql';
import { Batcher } from '../../platform/batcher.js';
import { isConnectionLost } from '../../platform/db/database-errors.js';
import { perDatabase } from '../../platform/db/per-database.js';
import { withinTransaction } from '../../platform/db/query.js';
import { textArray } from '../../platform/db/array-text.js';
import type { Query } from '../../platform/db/query.js';
import type { Metrics } from '../../platform/metrics.js';
import type { LicenseStanding } from '../licenses/license-standing.rules.js';

interface Beat {
  readonly token: string;
  readonly now: Date;
}

/** A session as a heartbeat found it, and how its license stands. */
export interface BeatOutcome extends LicenseStanding {
  readonly sessionExpiresAt: Date;
  /** Undefined when it was not renewed: it, or its license, is no longer good. */
  readonly renewedUntil: Date | undefined;
}

const IN_FLIGHT = 2;
const BATCH_MAX = 500;

const batches = perDatabase<Pick<Metrics, 'batchSize'>, Batcher<Beat, BeatOutcome | undefined>>(
  (query, { batchSize }) =>
    new Batcher((beats) => renewSessions(query, beats), {
      ...{ inFlightMax: IN_FLIGHT, batchMax: BATCH_MAX },
      isShared: isConnectionLost,
      onBatch: (size) => {
        batchSize.observe({ batch: 'heartbeats' }, size);
      },
    }),
);

/**
 * Renews a session, in one statement with all others of the moment; within a transaction alone, and as part of it.
 * Resolves to undefined for a token that no session has, or whose license is gone.
 */
export async function renewSession(
  em: EntityManager,
  metrics: Metrics,
  beat: Beat,
): Promise<BeatOutcome | undefined> {
  if (!em.isInTransaction()) return batches(em, metrics).ask(beat);
  const [outcome] = await renewSessions(withinTransaction(em), [beat]);
  return outcome;
}

interface Row extends Omit<LicenseStanding, 'expiresAt'> {
  readonly n: number;
  // The ORM has node-postgres leave times as text.
  readonly expiresAt: string | null;
  readonly sessionExpiresAt: string;
  readonly renewedUntil: string | null;
}

async function renewSessions(query: Query, beats: readonly Beat[]): Promise<(BeatOutcome | undefined)[]> {
  const rows = await query<Row>({
    name: 'renew-sessions',
    text: RENEW_SESSIONS,
    values: [
      textArray(beats.map(({ token }) => token)),
      textArray(beats.map(({ now }) => now.toISOString())),
    ],
  });
  const outcomes: (BeatOutcome | undefined)[] = beats.map(() => undefined);
  for (const { n, expiresAt, sessionExpiresAt, renewedUntil, ...row } of rows) {
    outcomes[n] = {
      ...row,
      expiresAt: expiresAt === null ? null : new Date(expiresAt),
      sessionExpiresAt: new Date(sessionExpiresAt),
      renewedUntil: renewedUntil === null ? undefined : new Date(renewedUntil),
    };
  }
  return outcomes;
}

// Which licenses may be used is `standingRefusal`'s to say; `good` is the same in SQL, so that nothing is renewed that
// it would refuse. Sessions are locked in the order of their keys, as by everyone who locks several.
const RENEW_SESSIONS = `
  with asked as (
    select token, now, place::integer - 1 as n
      from unnest($1::text[], $2::timestamptz[]) with ordinality as a (token, now, place)
  ), found as (
    select a.n, a.now, s.id, s.license_id, s.identifier, s.ttl, s.expires_at as session_expires_at,
           l.status, l.expires_at, u.status as user_status
      from asked a
      join session s on s.token = a.token
      join license l on l.id = s.license_id
      left join app_user u on u.id = l.user_id
  ), good as (
    select distinct on (license_id, identifier) * from found
     where session_expires_at > now and status = 'active' and user_status is distinct from 'banned'
       and (expires_at is null or expires_at > now)
     order by license_id, identifier, n desc
  ), locked as (
    select s.id, good.now from session s join good on good.id = s.id
     order by s.license_id, s.identifier for update of s
  ), renewed as (
    update session s set last_seen = locked.now, expires_at = locked.now + make_interval(secs => s.ttl)
      from locked where s.id = locked.id and s.expires_at > locked.now
      returning s.id, s.expires_at
  )
  select found.n, found.license_id as "licenseId", found.status, found.user_status as "userStatus",
         found.expires_at as "expiresAt", found.session_expires_at as "sessionExpiresAt",
         renewed.expires_at as "renewedUntil"
    from found left join renewed on renewed.id = found.id`;
