import type { Caller } from '../context.js';
import { DomainError } from '../errors.js';
import { sha256 } from '../random.js';
import type { Guard } from './limit-rule.js';
import type { Limits } from './limits.js';

/** API keys and other bearers. One that has expired is no guess. */
export const WRONG_SECRETS: Guard = {
  name: 'wrong-secrets',
  quota: 'wrongSecrets',
  what: 'wrong API keys',
  misses: new Set(['API_KEY_INVALID']),
};

export type Authenticate = (presented: string) => Promise<Caller>;

const KNOWN_MAX = 1_000;

/**
 * Refuses the credentials of addresses that presented too many wrong ones, before anyone looks them up. Those that were
 * good before go on: a forgotten script with an old key must not lock out everything else behind the same address.
 */
export class CredentialGuard {
  readonly #limits: Limits;
  readonly #authenticate: Authenticate;
  /** Digests of credentials that were good in this process, oldest first. They are still checked each time. */
  readonly #known = new Set<string>();

  constructor(limits: Limits, authenticate: Authenticate) {
    this.#limits = limits;
    this.#authenticate = authenticate;
  }

  /** Who presents this. Throws as `authenticate` does, or 429 `RATE_LIMITED`. */
  async callerWith(presented: string, address: string): Promise<Caller> {
    const digest = sha256(presented).toString('base64url');
    if (!this.#known.has(digest)) {
      const { refusal } = this.#limits.look(WRONG_SECRETS, address);
      if (refusal) throw refusal;
    }
    try {
      const caller = await this.#authenticate(presented);
      this.#remember(digest);
      return caller;
    } catch (error) {
      if (error instanceof DomainError && WRONG_SECRETS.misses.has(error.code)) {
        this.#known.delete(digest);
        this.#limits.miss(WRONG_SECRETS, address);
      }
      throw error;
    }
  }

  #remember(digest: string): void {
    if (this.#known.has(digest)) return;
    this.#known.add(digest);
    const [oldest] = this.#known;
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
  }
}
