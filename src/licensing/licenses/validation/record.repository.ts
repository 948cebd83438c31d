import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { PresentedValue, VerdictCode } from './verdict.rules.js';

/** What a positive judgement writes. */
export interface ValidationRecord {
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
  readonly presented: readonly PresentedValue[];
  readonly source: string;
  readonly requestId: string | null;
}

export interface RecordOutcome {
  readonly code: VerdictCode;
  /** The session's token; null unless the code is `VALID`. */
  readonly token: string | null;
  /** True when the session is new, false when it was renewed. */
  readonly opened: boolean;
}

/**
 * Binds unseen whitelist values and takes or renews a seat, all or nothing, in one round trip (`record_validation`, in
 * the migrations). Exact under any number of callers.
 */
export async function recordValidation(em: EntityManager, record: ValidationRecord): Promise<RecordOutcome> {
  const { presented } = record;
  const { rows } = await sql<{ code: VerdictCode; session_token: string | null; opened: boolean | null }>`
    select code, session_token, opened from record_validation(
      ${record.licenseId}::integer, ${record.seats}::integer, ${record.identifier}::text, ${record.token}::text,
      ${record.ip}::text, ${record.agent}::text, ${record.ttlSeconds}::integer, ${record.now}::timestamptz,
      ${presented.map(({ whitelist }) => whitelist.id)}::integer[],
      ${presented.map(({ whitelist }) => whitelist.limit)}::integer[],
      ${presented.map(({ value }) => value)}::text[],
      ${presented.map(({ whitelist }) => whitelist.type === 'ip')}::boolean[],
      ${record.source}::text, ${record.requestId}::text)`.execute(em.getKysely());
  const [row] = rows;
  if (!row) throw new Error('record_validation returned no row');
  return { code: row.code, token: row.session_token, opened: row.opened ?? false };
}
