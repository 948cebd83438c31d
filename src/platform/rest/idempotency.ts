import type { EntityManager } from '@mikro-orm/postgresql';
import type { Request } from 'express';
import { sql } from 'kysely';
import { failure } from '../errors.js';
import type { RequestContext } from '../graphql/request-context.js';
import { sha256 } from '../random.js';
import { isSealed, seal, unseal } from '../seal.js';
import type { SealedPlace } from '../secrets/sealed-place.js';

/** How long a stored response is replayed. */
const IDEMPOTENCY_HOURS = 24;
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Responses hold keys and tokens that are stored nowhere else, so that they are sealed as well. */
export const SEALED_RESPONSES: SealedPlace = {
  table: 'idempotency_key',
  key: ['scope', 'key'],
  columns: [{ name: 'body', type: 'text' }],
};

/** A finished response, as it is stored and replayed. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The request's `Idempotency-Key`, or undefined. Throws 400 when it is malformed. */
export function idempotencyKey(req: Request): string | undefined {
  const key = req.method === 'POST' ? req.get('idempotency-key') : undefined;
  if (key === undefined || KEY.test(key)) return key;
  throw failure(
    'BAD_PARAMETER',
    'The header Idempotency-Key must be 1–255 visible ASCII characters without spaces',
  );
}

/** Whether the answer may be one that was given before. */
export function isReplayable(req: Request): boolean {
  return req.method === 'POST' && req.get('idempotency-key') !== undefined;
}

/**
 * Runs `work` at most once for a caller's key. The change, its events and the stored response are one transaction,
 * so a crash leaves either all of them or none, and a repeat after it is safe. Only successes are stored: a request
 * that failed changed nothing, and may be sent again.
 *
 * Throws `IDEMPOTENCY_KEY_IN_PROGRESS` (409) while the first request runs, `IDEMPOTENCY_KEY_REUSED` (422) when the
 * same key comes with another request.
 */
export async function once(
  ctx: RequestContext,
  key: string,
  req: Request,
  work: () => Promise<StoredResponse>,
): Promise<{ readonly response: StoredResponse; readonly replayed: boolean }> {
  // Anonymous callers share no name, so their address keeps their keys apart.
  const scope = ctx.caller.authenticated ? ctx.caller.id : `ip:${ctx.client.ip}`;
  const fingerprint = sha256(JSON.stringify([req.method, req.path, req.query, req.body ?? null]));
  return ctx.transaction(async () => {
    const db = ctx.em.getKysely();
    const lock = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${`${scope}\n${key}`}, 0)) as locked`.execute(db);
    if (!lock.rows[0]?.locked) {
      throw failure(
        'IDEMPOTENCY_KEY_IN_PROGRESS',
        'A request with this Idempotency-Key is still in progress',
        {
          headers: { 'Retry-After': '1' },
        },
      );
    }
    const oldest = new Date(ctx.clock.now().getTime() - IDEMPOTENCY_HOURS * 3_600_000);
    const stored = await sql<StoredResponse & { fingerprint: Buffer }>`
      select status, headers, body, fingerprint from idempotency_key
       where scope = ${scope} and key = ${key} and created_at > ${oldest}`.execute(db);
    const [earlier] = stored.rows;
    if (earlier) {
      if (!Buffer.from(earlier.fingerprint).equals(fingerprint)) {
        throw failure(
          'IDEMPOTENCY_KEY_REUSED',
          'This Idempotency-Key was used for another request; take a new one',
        );
      }
      const { status, headers, body } = earlier;
      return { response: { status, headers, body: bodyOf(body, ctx) }, replayed: true };
    }
    const response = await work();
    await sql`
      insert into idempotency_key (scope, key, fingerprint, status, headers, body, created_at)
      values (${scope}, ${key}, ${fingerprint}, ${response.status}, ${JSON.stringify(response.headers)}::jsonb,
              ${seal(response.body, ctx.settings)}, ${ctx.clock.now()})
      on conflict (scope, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
        headers = excluded.headers, body = excluded.body, created_at = excluded.created_at`.execute(db);
    return { response, replayed: false };
  });
}

/** What was stored before responses were sealed is as it was sent; no JSON looks sealed. */
function bodyOf(stored: string, { settings }: RequestContext): string {
  return isSealed(stored) ? unseal(stored, settings) : stored;
}

/** Deletes what is too old to be replayed. */
export async function purgeIdempotencyKeys(em: EntityManager, now: Date): Promise<void> {
  const oldest = new Date(now.getTime() - IDEMPOTENCY_HOURS * 3_600_000);
  await sql`delete from idempotency_key where created_at <= ${oldest}`.execute(em.getKysely());
}
