import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import { failure } from '../../../platform/errors.js';
import { randomToken } from '../../../platform/random.js';
import { lookupOf } from '../license-key.rules.js';
import type { KnownFacts } from './facts-cache.js';
import type { LicenseFacts, ValidationRequest } from './facts.js';
import { hotPathOf } from './hot-path.js';
import type { RecordOutcome, ValidationRecord } from './record.repository.js';
import { validationEventsOf } from './validation-events.js';
import { VERDICT_CODES, judge } from './verdict.rules.js';
import type { Judgement, VerdictCode } from './verdict.rules.js';

/** The answer to "may this run?". Names as in GraphQL; the REST document aliases them. */
export interface Verdict {
  readonly valid: boolean;
  readonly code: VerdictCode;
  readonly message: string;
  readonly product: string | null;
  readonly customer: string | null;
  /** The license's own state, also when the verdict is no: `active`, `suspended`, `revoked`, `expired`, `banned`, `invalid`. */
  readonly status: string;
  readonly expiresAt: Date | null;
  readonly addons: readonly string[];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly userVariables: Readonly<Record<string, unknown>>;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly session: { readonly token: string } | null;
  /** What `warn` rules say about a valid license. */
  readonly warnings: readonly string[];
  /** The request's, so that an old signed answer can't be played back. */
  readonly nonce: string | null;
}

const AGENT_LENGTH_MAX = 512;

/** A verdict, and the facts it was made from for those who need more of them. */
export interface Validation {
  readonly verdict: Verdict;
  readonly facts: LicenseFacts | undefined;
}

const HELD = { code: 'HELD', token: null } as const;
/** Changes of one license, each just before its verdict is recorded, that a validation keeps up with. */
const ATTEMPTS_MAX = 20;

/**
 * Facts → judge → record. Every outcome is a verdict; an unknown key takes the same path as a known one. The facts may
 * come from memory: what records the verdict says whether they still hold, and if not, all is done again with new
 * ones. Outside of a transaction it is
 * recorded together with others.
 */
export async function validateLicense(
  em: EntityManager,
  ctx: ActionContext,
  request: Presented,
): Promise<Validation> {
  const validation = await judgeAndRecord(em, ctx, request);
  ctx.metrics.verdicts.inc({ code: validation.verdict.code });
  await validationEventsOf(em, ctx).add(validation.facts?.key ?? null, validation.verdict);
  return validation;
}

type Presented = ValidationRequest & { readonly nonce?: string | null | undefined };

async function judgeAndRecord(
  em: EntityManager,
  ctx: ActionContext,
  request: Presented,
): Promise<Validation> {
  const path = hotPathOf(em, ctx);
  const now = ctx.clock.now();
  const lookup = lookupOf(request.key);
  // Postgres text can't hold U+0000, so no key has one.
  if (lookup.includes('\u0000'))
    return concluded(undefined, judge(undefined, request, now), HELD, request.nonce ?? null, now);
  let known = await path.known(lookup);
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const judgement = judge(known?.facts, request, now);
    const outcome = await path.record({
      basis: known ? { licenseId: known.facts.licenseId, version: known.version } : { lookup },
      record:
        known && judgement.code === 'VALID' ? recordOf(ctx, known.facts, judgement, request) : undefined,
      now,
    });
    if (outcome.code !== 'STALE') return concluded(known, judgement, outcome, request.nonce ?? null, now);
    known = await path.fresh(lookup);
  }
  throw failure('UNAVAILABLE', 'The license is being changed too often to be judged; try again', {
    headers: { 'Retry-After': '1' },
  });
}

function recordOf(
  ctx: ActionContext,
  facts: LicenseFacts,
  { presented }: Judgement,
  request: ValidationRequest,
): ValidationRecord {
  const [firstPresented] = presented;
  return {
    seats: facts.seats,
    identifier: request.identifier ?? firstPresented?.value ?? request.ip,
    token: randomToken(),
    ip: request.ip,
    agent: request.agent.slice(0, AGENT_LENGTH_MAX),
    ttlSeconds: facts.sessionTtl ?? ctx.settings.sessions.ttlSeconds,
    presented,
    source: ctx.source,
    requestId: ctx.requestId,
  };
}

function concluded(
  known: KnownFacts,
  judgement: Judgement,
  { code, token }: RecordOutcome,
  nonce: string | null,
  now: Date,
): Validation {
  const facts = known?.facts;
  if (facts && token !== null) {
    return { facts, verdict: { ...approval(facts, judgement, token, now), nonce } };
  }
  // What only the database could decide: the places were taken.
  const refused = code === 'HELD' || code === 'STALE' ? judgement : { ...judgement, code };
  return { facts, verdict: { ...refusal(refused, facts, now), nonce } };
}

type AnyVerdict = Omit<Verdict, 'nonce'>;

function approval(facts: LicenseFacts, { warnings }: Judgement, token: string, now: Date): AnyVerdict {
  return {
    ...common('VALID', null, facts, now),
    addons: facts.addons,
    variables: facts.variables,
    userVariables: facts.userVariables,
    session: { token },
    warnings,
  };
}

function refusal({ code, message }: Judgement, facts: LicenseFacts | undefined, now: Date): AnyVerdict {
  const nothing = { addons: [], variables: {}, userVariables: {}, session: null, warnings: [] };
  return { ...common(code, message, facts, now), ...nothing };
}

function common(code: VerdictCode, message: string | null, facts: LicenseFacts | undefined, now: Date) {
  return {
    valid: code === 'VALID',
    code,
    message: message ?? VERDICT_CODES[code].message,
    product: facts?.product ?? null,
    customer: facts?.customer ?? null,
    status: VERDICT_CODES[code].status,
    expiresAt: facts?.expiresAt ?? null,
    timestamp: Math.floor(now.getTime() / 1000),
  };
}
