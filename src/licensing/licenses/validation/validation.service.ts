import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import { randomToken } from '../../../platform/random.js';
import { lookupOf } from '../license-key.rules.js';
import { loadFacts } from './facts.repository.js';
import type { LicenseFacts, ValidationRequest } from './facts.js';
import { recordValidation } from './record.repository.js';
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

/** Facts → judge → record. Every outcome is a verdict; an unknown key takes the same path as a known one. */
export async function validateLicense(
  em: EntityManager,
  ctx: ActionContext,
  request: ValidationRequest & { readonly nonce?: string | null | undefined },
): Promise<Validation> {
  const now = ctx.clock.now();
  const facts = await loadFacts(em, lookupOf(request.key));
  const judgement = judge(facts, request, now);
  const nonce = request.nonce ?? null;
  if (judgement.code !== 'VALID' || !facts)
    return { facts, verdict: { ...refusal(judgement, facts, now), nonce } };
  const [firstPresented] = judgement.presented;
  const { code, token } = await recordValidation(em, {
    licenseId: facts.licenseId,
    seats: facts.seats,
    identifier: request.identifier ?? firstPresented?.value ?? request.ip,
    token: randomToken(),
    ip: request.ip,
    agent: request.agent.slice(0, AGENT_LENGTH_MAX),
    ttlSeconds: facts.sessionTtl ?? ctx.settings.sessions.ttlSeconds,
    now,
    presented: judgement.presented,
    source: ctx.source,
    requestId: ctx.requestId,
  });
  if (token === null) {
    // Deleted since its facts were read: then there is nothing to show of it.
    const shown = code === 'NOT_FOUND' ? undefined : facts;
    return { facts: shown, verdict: { ...refusal({ ...judgement, code }, shown, now), nonce } };
  }
  return { facts, verdict: { ...approval(facts, judgement, token, now), nonce } };
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
