import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import { DomainError } from '../../platform/errors.js';
import type { EventData } from '../../platform/events/emit.js';
import { emitMany } from '../events.js';
import type { LicensingEvent } from '../events.js';
import { maskKey } from '../licenses/license-key.rules.js';
import { findLicenseStanding } from '../licenses/license-standing.repository.js';
import { standingRefusal } from '../licenses/license-standing.rules.js';
import { VERDICT_CODES } from '../licenses/validation/verdict.rules.js';
import { renewSession } from './heartbeat.repository.js';
import type { Session } from './session.entity.js';
import {
  findOpenSessions,
  findSessionStanding,
  removeExpiredSessions,
  removeOpenSessions,
} from './session.repository.js';
import type { EndedSession, SessionFilter } from './session.repository.js';

export interface SessionQuery {
  readonly token?: string | null | undefined;
  /** A license key, however it is typed. */
  readonly license?: string | null | undefined;
  /** The same by another name; `license` wins. */
  readonly licenseKey?: string | null | undefined;
  readonly identifier?: string | null | undefined;
}

export interface Heartbeat {
  readonly token: string;
  readonly lastSeen: Date;
  readonly expiresAt: Date;
}

/**
 * Keeps the seat. Throws 404 for a closed or unknown token, 410 `SESSION_EXPIRED` when its time was over, and 403 with
 * the verdict's code when the license itself is no longer valid.
 */
export async function heartbeat(em: EntityManager, ctx: ActionContext, token: string): Promise<Heartbeat> {
  const now = ctx.clock.now();
  if (token.includes('\u0000')) throw sessionNotFound(); // Postgres text can't hold it, so no token has it
  const beat = await renewSession(em, ctx.metrics, { token, now });
  if (!beat) throw sessionNotFound();
  if (beat.renewedUntil) return { token, lastSeen: now, expiresAt: beat.renewedUntil };
  const refusal = beat.sessionExpiresAt > now ? standingRefusal(beat, now) : undefined;
  if (refusal === undefined) throw sessionExpired();
  throw new DomainError(refusal, 403, 'License not valid', VERDICT_CODES[refusal].message);
}

/** Frees the seat. Throws 404 for a closed or unknown token, 410 when its time was over. */
export async function closeSession(em: EntityManager, ctx: ActionContext, token: string): Promise<void> {
  const now = ctx.clock.now();
  const standing = await findSessionStanding(em, token);
  if (!standing) throw sessionNotFound();
  const closed = await removeOpenSessions(em, 'CLOSED', { token }, now);
  if (closed.length === 0) throw sessionExpired();
  await announce(em, ctx, 'session.closed', closed);
}

export async function listSessions(
  em: EntityManager,
  ctx: ActionContext,
  query: SessionQuery,
  request: PageRequest,
): Promise<RowPage<Session>> {
  return findOpenSessions(em, await filterOf(em, query), ctx.clock.now(), request);
}

/** Ends every open session that the query names; all of them when it names none. Resolves to how many. */
export async function revokeSessions(
  em: EntityManager,
  ctx: ActionContext,
  query: SessionQuery,
): Promise<number> {
  const revoked = await removeOpenSessions(em, 'REVOKED', await filterOf(em, query), ctx.clock.now());
  await announce(em, ctx, 'session.revoked', revoked);
  return revoked.length;
}

const BATCH = 500;

/**
 * Removes one batch of expired sessions and announces each, in one transaction. Resolves to how many there were, so
 * that the caller goes on until a batch is not full. Safe to run twice and on two workers.
 */
export async function expireSessions(
  em: EntityManager,
  ctx: ActionContext,
): Promise<{ expired: number; isFull: boolean }> {
  return em.transactional(async (tx) => {
    const { looked, expired } = await removeExpiredSessions(tx, ctx.clock.now(), BATCH);
    await announce(tx, ctx, 'session.expired', expired);
    return { expired: expired.length, isFull: looked === BATCH };
  });
}

/** A key that no license has finds no session: nothing must be revoked because of a typing error. */
const NO_LICENSE = 0;

async function filterOf(em: EntityManager, query: SessionQuery): Promise<SessionFilter> {
  const { token, identifier } = query;
  const license = query.license ?? query.licenseKey;
  const standing = license == null ? undefined : await findLicenseStanding(em, license);
  return {
    ...(token == null ? {} : { token }),
    ...(license == null ? {} : { licenseId: standing?.licenseId ?? NO_LICENSE }),
    ...(identifier == null ? {} : { identifier }),
  };
}

async function announce(
  em: EntityManager,
  ctx: ActionContext,
  event: LicensingEvent,
  sessions: readonly EndedSession[],
): Promise<void> {
  for (let at = 0; at < sessions.length; at += BATCH) {
    const emissions = sessions.slice(at, at + BATCH).map((session) => ({
      resource: { type: 'session', id: session.identifier },
      changes: { license: [session.licenseKey === null ? null : maskKey(session.licenseKey), null] as const },
      data: dataOf(session),
    }));
    await emitMany(em, ctx, event, emissions);
  }
}

/** As REST returned it while it was open. */
function dataOf({ token, licenseKey, product, identifier, ip, agent, ...times }: EndedSession): EventData {
  const names = { token, license: licenseKey, product, identifier, ip, agent };
  return { ...names, last_seen: times.lastSeen, expires_at: times.expiresAt };
}

// The token is a credential: no message repeats it.
function sessionNotFound() {
  return new DomainError('SESSION_NOT_FOUND', 404, 'Not found', 'There is no open session with this token');
}

function sessionExpired() {
  return new DomainError(
    'SESSION_EXPIRED',
    410,
    'Session expired',
    'This session has expired; validate again',
  );
}
