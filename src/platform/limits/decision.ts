import { failure } from '../errors.js';
import type { DomainError } from '../errors.js';
import type { Policy } from './limit-rule.js';

/** What a limit says to one request. */
export interface Decision {
  /** `RateLimit-Policy` and `RateLimit` for the answer, whichever it is; with a refusal also `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
  /** 429 `RATE_LIMITED`, with the same headers; undefined: go on. */
  readonly refusal: DomainError | undefined;
}

/** Nothing is limited. */
export const FREE: Decision = { headers: {}, refusal: undefined };

/** A policy with the quota that the configuration gives it. */
export interface ActivePolicy extends Omit<Policy, 'quota'> {
  readonly quota: number;
}

/** `"validate-pair";q=60;w=60, "validate-address";q=1200;w=60` (draft-ietf-httpapi-ratelimit-headers-10 §3). */
export function policyHeader(policies: readonly ActivePolicy[]): string {
  return policies
    .map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`)
    .join(', ');
}

/** `"validate-pair";r=59;t=42` (§4): the policy with the least left. */
export function stateHeader({ name }: ActivePolicy, remaining: number, resetMs: number): string {
  return `"${name}";r=${remaining};t=${secondsOf(resetMs)}`;
}

/** Refused since a quota is used up. */
export function quotaRefusal(policy: ActivePolicy, resetMs: number, policies: string): Decision {
  const wait = secondsOf(resetMs);
  const { quota, windowSeconds } = policy;
  const detail = `Too many requests: at most ${quota} in ${windowSeconds} s ${PARTITIONS[policy.by]}; try again in ${wait} s`;
  const headers = {
    'RateLimit-Policy': policies,
    RateLimit: stateHeader(policy, 0, resetMs),
    'Retry-After': String(wait),
  };
  return { headers, refusal: failure('RATE_LIMITED', detail, { headers }) };
}

/** Refused since the address is locked out. */
export function lockRefusal(what: string, lockedMs: number): Decision {
  const wait = secondsOf(lockedMs);
  const detail = `Too many ${what} came from this address; try again in ${wait} s`;
  const headers = { 'Retry-After': String(wait) };
  return { headers, refusal: failure('RATE_LIMITED', detail, { headers }) };
}

const PARTITIONS = {
  address: 'from one address',
  subject: 'for one key or token',
  both: 'for one key from one address',
} as const satisfies Record<Policy['by'], string>;

/** Never 0, which would say "now". */
function secondsOf(ms: number): number {
  return Math.max(Math.ceil(ms / 1000), 1);
}
