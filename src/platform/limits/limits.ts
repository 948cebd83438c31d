import type { Config } from '../../config.js';
import type { Clock } from '../clock.js';
import type { Caller } from '../context.js';
import type { Metrics } from '../metrics.js';
import { sha256 } from '../random.js';
import { addressKey } from './address-key.js';
import { FREE, lockRefusal, policyHeader, quotaRefusal, stateHeader } from './decision.js';
import type { ActivePolicy, Decision } from './decision.js';
import type { Guard, LimitRule, Partition } from './limit-rule.js';
import { Lockout } from './lockout.js';
import type { SharedStore } from './shared-store.js';
import { WindowCounter } from './window-counter.js';
import type { Count } from './window-counter.js';

interface LimitsOptions {
  readonly config: Config['limits'];
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** What a caller's requests count as that have no rule of their own. */
  readonly ruleOf: (caller: Caller) => LimitRule;
  /** Counts for all processes; without one, each counts for itself. */
  readonly shared?: SharedStore | undefined;
}

interface CountedPolicy extends ActivePolicy {
  readonly counter: WindowCounter;
}

interface ActiveRule {
  readonly policies: readonly CountedPolicy[];
  readonly header: string;
  readonly guard: Guard | undefined;
}

interface ActiveGuard {
  readonly policy: CountedPolicy;
  readonly lockout: Lockout;
}

const GUARD_WINDOW_SECONDS = 60;

/**
 * Counts requests against the quotas of the configuration. Plain functions, since one of them stands before every
 * validation: with counters in memory a decision is a few map look-ups and no promise.
 */
export class Limits {
  readonly ruleOf: LimitsOptions['ruleOf'];
  readonly #config: Config['limits'];
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #shared: SharedStore | undefined;
  readonly #rules = new Map<LimitRule, ActiveRule>();
  readonly #guards = new Map<Guard, ActiveGuard>();
  /** By name: two rules may share a policy. */
  readonly #counters = new Map<string, WindowCounter>();

  constructor({ config, clock, metrics, ruleOf, shared }: LimitsOptions) {
    this.ruleOf = ruleOf;
    this.#config = config;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#shared = shared;
  }

  /**
   * Counts a request of this rule, or as many as `points`, and says whether it may go on.
   *
   * @param address the client's, as in `ClientInfo`
   * @param subject what the rule's partitions call so: the license key in its normal form, the token, the caller
   * @returns a promise only if the counters are shared
   */
  take(rule: LimitRule, address: string, subject = '', points = 1): Decision | Promise<Decision> {
    if (!this.#config.enabled) return FREE;
    const { policies, header, guard } = this.#ruleOf(rule);
    const from = addressKey(address);
    const nowMs = this.#clock.now().getTime();
    const locked = guard && this.#lockedOut(guard, from, nowMs);
    if (locked) return locked;
    if (policies.length === 0) return FREE;
    if (this.#shared) return this.#takeShared(this.#shared, policies, header, from, subject, points, nowMs);
    const tightest = new Tightest();
    for (const policy of policies) {
      const count = policy.counter.hit(keyOf(policy.by, from, subject), points, nowMs);
      if (count.points > policy.quota) return this.#refuse(policy, count.resetMs, header);
      tightest.note(policy, count);
    }
    return { headers: { 'RateLimit-Policy': header, RateLimit: tightest.header() }, refusal: undefined };
  }

  /** Whether this address has guessed wrong too often; counts nothing. {@link FREE} when it may go on. */
  look(guard: Guard, address: string): Decision {
    if (!this.#config.enabled) return FREE;
    return this.#lockedOut(guard, addressKey(address), this.#clock.now().getTime()) ?? FREE;
  }

  /**
   * A guess was wrong: as many as the quota of one minute, and the address is locked out. Nobody needs to wait for it.
   * With shared counters another gateway learns of it from the next wrong guess there.
   */
  miss(guard: Guard, address: string): void {
    const quota = this.#config.quotas[guard.quota];
    if (!this.#config.enabled || quota === 0) return;
    const { policy, lockout } = this.#guardOf(guard, quota);
    const from = addressKey(address);
    const nowMs = this.#clock.now().getTime();
    const lockAt = ({ points }: Count) => {
      if (points >= quota) lockout.lock(from, nowMs);
    };
    if (!this.#shared) {
      lockAt(policy.counter.hit(from, 1, nowMs));
      return;
    }
    void this.#shared.hit(policy, from, 1).then((count) => {
      lockAt(count ?? policy.counter.hit(from, 1, nowMs));
    });
  }

  #lockedOut(guard: Guard, from: string, nowMs: number): Decision | undefined {
    const lockedMs = this.#guards.get(guard)?.lockout.lockedMs(from, nowMs) ?? 0;
    if (lockedMs === 0) return undefined;
    this.#metrics.requestsLimited.inc({ policy: guard.name });
    return lockRefusal(guard.what, lockedMs);
  }

  async #takeShared(
    shared: SharedStore,
    policies: readonly CountedPolicy[],
    header: string,
    from: string,
    subject: string,
    points: number,
    nowMs: number,
  ): Promise<Decision> {
    const tightest = new Tightest();
    for (const policy of policies) {
      const key = keyOf(policy.by, from, subject);
      const count = (await shared.hit(policy, key, points)) ?? policy.counter.hit(key, points, nowMs);
      if (count.points > policy.quota) return this.#refuse(policy, count.resetMs, header);
      tightest.note(policy, count);
    }
    return { headers: { 'RateLimit-Policy': header, RateLimit: tightest.header() }, refusal: undefined };
  }

  #refuse(policy: ActivePolicy, resetMs: number, header: string): Decision {
    this.#metrics.requestsLimited.inc({ policy: policy.name });
    return quotaRefusal(policy, resetMs, header);
  }

  #ruleOf(rule: LimitRule): ActiveRule {
    const known = this.#rules.get(rule);
    if (known) return known;
    const policies = rule.policies
      .map((policy) => ({ ...policy, quota: this.#config.quotas[policy.quota] }))
      .filter(({ quota }) => quota > 0)
      .map((policy) => ({ ...policy, counter: this.#counterOf(policy) }));
    const active = { policies, header: policyHeader(policies), guard: rule.guard };
    this.#rules.set(rule, active);
    return active;
  }

  #guardOf(guard: Guard, quota: number): ActiveGuard {
    const known = this.#guards.get(guard);
    if (known) return known;
    const policy = { name: guard.name, quota, windowSeconds: GUARD_WINDOW_SECONDS, by: 'address' as const };
    const active = { policy: { ...policy, counter: this.#counterOf(policy) }, lockout: new Lockout() };
    this.#guards.set(guard, active);
    return active;
  }

  #counterOf({ name, windowSeconds }: Pick<ActivePolicy, 'name' | 'windowSeconds'>): WindowCounter {
    const counter = this.#counters.get(name) ?? new WindowCounter(windowSeconds);
    this.#counters.set(name, counter);
    return counter;
  }
}

/** The policy that a client will meet first. */
class Tightest {
  #policy: ActivePolicy | undefined;
  #remaining = Infinity;
  #resetMs = 0;

  note(policy: ActivePolicy, { points, resetMs }: Count): void {
    const remaining = policy.quota - points;
    if (remaining >= this.#remaining) return;
    this.#policy = policy;
    this.#remaining = remaining;
    this.#resetMs = resetMs;
  }

  header(): string {
    return this.#policy ? stateHeader(this.#policy, this.#remaining, this.#resetMs) : '';
  }
}

/** Longer subjects are counted by their digest: what a client sends must not decide how much memory it takes. */
const SUBJECT_LENGTH_MAX = 64;

function keyOf(by: Partition, address: string, subject: string): string {
  if (by === 'address') return address;
  const short = subject.length > SUBJECT_LENGTH_MAX ? sha256(subject).toString('base64url') : subject;
  // No address has a space in it, so that no subject can pass for another pair.
  return by === 'subject' ? short : `${address} ${short}`;
}
