import { plainArray, textArray } from '../../../platform/db/array-text.js';
import type { Query } from '../../../platform/db/query.js';
import type { FactsVersion } from './facts.js';
import type { PresentedValue, VerdictCode } from './verdict.rules.js';

/** What a positive judgement writes. */
export interface ValidationRecord {
  /** -1: unlimited. */
  readonly seats: number;
  readonly identifier: string;
  /** The token a new session gets; a renewed one keeps its own. */
  readonly token: string;
  readonly ip: string;
  readonly agent: string;
  readonly ttlSeconds: number;
  readonly presented: readonly PresentedValue[];
  readonly source: string;
  readonly requestId: string | null;
}

/** A judgement, the facts it was made from, and what it writes: nothing when it is negative. */
export interface JudgedValidation {
  /** Of the license, and the version of its facts; or the key that no license was found by. */
  readonly basis:
    { readonly licenseId: number; readonly version: FactsVersion } | { readonly lookup: string };
  readonly record: ValidationRecord | undefined;
  readonly now: Date;
}

/** `STALE`: the facts no longer hold and nothing was written. `HELD`: they do, and there was nothing to write. */
export type RecordCode = VerdictCode | 'STALE' | 'HELD';

export interface RecordOutcome {
  readonly code: RecordCode;
  /** The session's token; null unless the code is `VALID`. */
  readonly token: string | null;
}

interface Row {
  readonly n: number;
  readonly code: RecordCode | 'PENDING';
  readonly token: string | null;
}

/**
 * Checks that the facts of many judgements still hold and writes what follows from them, those whose facts don't hold
 * excepted. Exact under any number of callers: what needs no place (a seat, an unseen value) is one statement for all
 * of them; what does goes one by one under the lock of its license (`record_validations`, in the migrations).
 */
export async function recordValidations(
  query: Query,
  judged: readonly JudgedValidation[],
): Promise<RecordOutcome[]> {
  const rows = await query<Row>({
    name: 'record-validations',
    text: CHECK_AND_RECORD,
    values: parameters(judged),
  });
  const outcomes: RecordOutcome[] = judged.map(() => ({ code: 'STALE', token: null }));
  const pending: number[] = [];
  for (const { n, code, token } of rows) {
    if (code === 'PENDING') pending.push(n);
    else outcomes[n] = { code, token };
  }
  if (pending.length > 0) {
    const slow = await query<Row>({
      name: 'record-validations-one-by-one',
      text: 'select n, code, session_token as token from record_validations($1::jsonb)',
      values: [JSON.stringify(pending.flatMap((n) => asRow(n, judged[n])))],
    });
    for (const { n, code, token } of slow) outcomes[n] = { code: code as RecordCode, token };
  }
  return outcomes;
}

function asRow(n: number, judged: JudgedValidation | undefined): object[] {
  if (!judged?.record || !('licenseId' in judged.basis)) return [];
  const { licenseId, version } = judged.basis;
  const { presented, ttlSeconds, ...record } = judged.record;
  return [
    {
      ...record,
      ...{ n, licenseId, now: judged.now, ttl: ttlSeconds },
      ...{ licenseVersion: version.license, productVersion: version.product, globalVersion: version.global },
      whitelists: presented.map(({ whitelist }) => whitelist.id),
      limits: presented.map(({ whitelist }) => whitelist.limit),
      values: presented.map(({ value }) => value),
      isAddress: presented.map(({ whitelist }) => whitelist.type === 'ip'),
    },
  ];
}

/** What a judgement wants written: nothing, a session in any case, or one only if it has its seat already. */
const MODE = { check: 0, open: 1, renew: 2 } as const;

function modeOf(record: ValidationRecord | undefined): number {
  if (!record) return MODE.check;
  return record.seats < 0 ? MODE.open : MODE.renew;
}

function parameters(judged: readonly JudgedValidation[]): unknown[] {
  const known = judged.map(({ basis }) => ('licenseId' in basis ? basis : undefined));
  const records = judged.map(({ record }) => record);
  const shown = records.flatMap((record, n) => (record?.presented ?? []).map((value) => ({ n, ...value })));
  return [
    plainArray(known.map((basis) => basis?.licenseId ?? null)),
    textArray(judged.map(({ basis }) => ('lookup' in basis ? basis.lookup : null))),
    plainArray(known.map((basis) => basis?.version.license ?? null)),
    plainArray(known.map((basis) => basis?.version.product ?? null)),
    plainArray(known.map((basis) => basis?.version.global ?? null)),
    plainArray(records.map(modeOf)),
    textArray(records.map((record) => record?.identifier ?? null)),
    textArray(records.map((record) => record?.token ?? null)),
    textArray(records.map((record) => record?.ip ?? null)),
    textArray(records.map((record) => record?.agent ?? null)),
    plainArray(records.map((record) => record?.ttlSeconds ?? null)),
    textArray(judged.map(({ now }) => now.toISOString())),
    plainArray(shown.map(({ n }) => n)),
    plainArray(shown.map(({ whitelist }) => whitelist.id)),
    textArray(shown.map(({ value }) => value)),
    plainArray(shown.map(({ whitelist }) => whitelist.type === 'ip')),
  ];
}

// `held` has the rows whose facts hold. Of one identifier of one license only one row is written, and all of them get
// its token. Sessions are written in the order of their keys, so that two batches never wait for each other in a circle.
// When somebody watches sessions live, opening goes the way that tells them; webhooks are told by triggers. Tokens come
// to their rows by one sort of both: the planner expects few rows, and a join would compare each with each.
const CHECK_AND_RECORD = `
  with asked as (
    select a.*, a.place::integer - 1 as n
      from unnest($1::integer[], $2::text[], $3::integer[], $4::integer[], $5::bigint[], $6::integer[], $7::text[],
                  $8::text[], $9::text[], $10::text[], $11::integer[], $12::timestamptz[]) with ordinality
           as a (license_id, lookup, license_version, product_version, global_version, mode, identifier, token, ip, agent,
                 ttl, now, place)
  ), shown as (
    select * from unnest($13::integer[], $14::integer[], $15::text[], $16::boolean[]) as s (n, whitelist_id, value, is_address)
  ), unseen as (
    select s.n from shown s join asked a on a.n = s.n
     where not exists (
       select from license_whitelist_value v
        where v.license_id = a.license_id and v.whitelist_id = s.whitelist_id
          and case when s.is_address then v.value::inet >>= s.value::inet else v.value = s.value end)
  ), told as (
    select exists (select from live_topic where starts_with(topic, 'session') and expires_at > clock_timestamp())
           as wanted
  ), held as (
    select a.*, (a.mode = ${MODE.open} and not (select told.wanted from told)) as opens,
           a.n in (select n from unseen) as is_unseen
      from asked a
      join license l on l.id = a.license_id and l.facts_version = a.license_version
      left join product p on p.id = l.product_id
     where coalesce(p.facts_version, 0) = a.product_version
       and a.global_version = (select version from facts_version)
  ), opened as (
    insert into session as s
      (token, license_id, identifier, ip, agent, ttl, last_seen, expires_at, expiry_due_at, created_at)
      select distinct on (license_id, identifier) token, license_id, identifier, ip, agent, ttl, now,
             now + make_interval(secs => ttl), now + make_interval(secs => ttl), now
        from held where opens and not is_unseen
       order by license_id, identifier, n desc
      on conflict (license_id, identifier) do update set
        token = case when s.expires_at > excluded.last_seen then s.token else excluded.token end,
        created_at = case when s.expires_at > excluded.last_seen then s.created_at else excluded.created_at end,
        last_seen = excluded.last_seen, expires_at = excluded.expires_at,
        ttl = excluded.ttl, ip = excluded.ip, agent = excluded.agent
      returning s.license_id, s.identifier, s.token
  ), seated as (
    select s.id, h.ip, h.agent, h.ttl, h.now
      from session s
      join (select distinct on (license_id, identifier) * from held
             where mode > ${MODE.check} and not opens and not is_unseen
             order by license_id, identifier, n desc) h
        on h.license_id = s.license_id and h.identifier = s.identifier and s.expires_at > h.now
     order by s.license_id, s.identifier
       for update of s
  ), renewed as (
    update session s
       set last_seen = seated.now, expires_at = seated.now + make_interval(secs => seated.ttl), ttl = seated.ttl,
           ip = seated.ip, agent = seated.agent
      from seated where s.id = seated.id and s.expires_at > seated.now
      returning s.license_id, s.identifier, s.token
  ), written as (
    select * from opened union all select * from renewed
  ), answered as (
    select n, mode, is_unseen, max(token) over (partition by license_id, identifier) as same_token
      from (select n, mode, is_unseen, license_id, identifier collate "C" as identifier, null as token from held
            union all select null, null, null, license_id, identifier collate "C", token from written) both_of
  )
  select n, case when mode = ${MODE.check} then 'HELD' when token is null then 'PENDING' else 'VALID' end as code, token
    from (select n, mode, case when mode > ${MODE.check} and not is_unseen then same_token end as token from answered
           where n is not null) a
  union all
  select a.n, 'HELD', null from asked a
   where a.lookup is not null and not exists (select from license l where l.lookup = a.lookup)`;
