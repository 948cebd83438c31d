import { setTimeout as delay } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from '../logger.js';
import { ping, serverVersion } from './orm.js';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;
const VERSION_MIN = 150_000;

/** The database can't be used, and trying again would not help. */
export class DatabaseUnusable extends Error {}

/**
 * Resolves once the database answers; until then it says in the log why not and when it tries again. Rejects with
 * {@link DatabaseUnusable} for a PostgreSQL older than 15, or when `signal` aborts.
 */
export async function waitForDatabase(orm: MikroORM, log: Logger, signal: AbortSignal): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      await ping(orm.em.fork());
      break;
    } catch (error) {
      const reason = reasonOf(error);
      const outcome = isFromServer(error) ? 'refuses' : 'does not answer';
      const next = `trying again in ${waitMs / 1000} s; DATABASE_URL says where it is`;
      log.warn({ reason }, `The database ${outcome} (${reason}); ${next}`);
      await delay(waitMs, undefined, { signal });
    }
  }
  const version = await serverVersion(orm.em.fork());
  if (version >= VERSION_MIN) return;
  throw new DatabaseUnusable(
    `PostgreSQL 15 or newer is needed; this server says ${Math.floor(version / 10_000)}`,
  );
}

/** Whether a PostgreSQL has said it (by an SQLSTATE), such as a wrong password or an unknown database. */
function isFromServer(error: unknown): boolean {
  return /^\d[\dA-Z]{4}$/.test(String((error as { code?: unknown }).code));
}

/** Refused connections come as an AggregateError without a message of its own. */
export function reasonOf(error: unknown): string {
  const { message, code, errors } = error as {
    message?: string;
    code?: string;
    errors?: { message: string }[];
  };
  return (
    [message, errors?.[0]?.message, code].find((text) => text !== undefined && text !== '') ??
    'unknown reason'
  );
}
