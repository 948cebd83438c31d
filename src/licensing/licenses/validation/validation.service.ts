import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext, ClientInfo } from '../../../platform/context.js';
import { randomToken } from '../../../platform/random.js';
import { openSession } from '../../sessions/session.repository.js';
import { lookupOf } from '../license-key.rules.js';
import { loadFacts } from './facts.repository.js';
import type { LicenseFacts, ValidationRequest } from './facts.js';
import { VERDICT_CODES, judge } from './verdict.rules.js';
import type { VerdictCode } from './verdict.rules.js';

/** The answer to "may this run?". Names as in GraphQL; the REST document aliases them. */
export interface Verdict {
  readonly valid: boolean;
  readonly code: VerdictCode;
  readonly message: string;
  readonly product: string | null;
  readonly customer: string | null;
  /** The license's own state, also when the verdict is no: `active`, `suspended`, `revoked`, `expired`, `invalid`. */
  readonly status: string;
  readonly expiresAt: Date | null;
  readonly addons: readonly string[];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly userVariables: Readonly<Record<string, unknown>>;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly session: { readonly token: string } | null;
}

const AGENT_LENGTH_MAX = 512;

/** Facts → judge → record. Every outcome is a verdict; an unknown key takes the same path as a known one. */
export async function validateLicense(
  em: EntityManager,
  ctx: ActionContext,
  client: ClientInfo,
  request: ValidationRequest,
): Promise<Verdict> {
  const now = ctx.clock.now();
  const facts = await loadFacts(em, lookupOf(request.key));
  const code = judge(facts, request, now);
  if (code !== 'VALID' || !facts) return verdict(code, facts, now, null);
  const token = await openSession(em, {
    licenseId: facts.licenseId,
    seats: facts.seats,
    identifier: request.identifier ?? client.ip,
    token: randomToken(),
    ip: client.ip,
    agent: client.agent.slice(0, AGENT_LENGTH_MAX),
    ttlSeconds: facts.sessionTtl ?? ctx.settings.sessions.ttlSeconds,
    now,
  });
  if (token === undefined) return verdict('SEAT_LIMIT_REACHED', facts, now, null);
  return verdict('VALID', facts, now, { token });
}

function verdict(
  code: VerdictCode,
  facts: LicenseFacts | undefined,
  now: Date,
  session: Verdict['session'],
): Verdict {
  const { status, message } = VERDICT_CODES[code];
  const valid = code === 'VALID';
  return {
    valid,
    code,
    message,
    product: facts?.product ?? null,
    customer: facts?.customer ?? null,
    status,
    expiresAt: facts?.expiresAt ?? null,
    addons: valid ? (facts?.addons ?? []) : [],
    variables: {},
    userVariables: {},
    timestamp: Math.floor(now.getTime() / 1000),
    session,
  };
}
