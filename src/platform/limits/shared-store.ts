import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import { SharedCounter } from './shared-counter.js';
import type { Count } from './window-counter.js';

interface SharedStoreOptions {
  /** Asked for at the first request: the pool is had by a first connection. */
  readonly pool: () => Promise<Pool>;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export interface SharedPolicy {
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
}

/** Longer, and counting would be what makes requests slow. */
const ANSWER_MS = 2_000;
/** How long nobody asks again after it has failed. */
const PAUSE_MS = 5_000;

/**
 * The counters that all gateways share. While the database is away or slow it says nothing: the caller counts for this
 * process alone, so that no request is refused, or waits, because counting is broken.
 */
export class SharedStore {
  readonly #options: SharedStoreOptions;
  readonly #counters = new Map<string, SharedCounter>();
  #pausedUntilMs = 0;

  constructor(options: SharedStoreOptions) {
    this.#options = options;
  }

  /** Undefined when the store could not be asked. Never rejects. */
  async hit(policy: SharedPolicy, key: string, points: number): Promise<Count | undefined> {
    const { log, metrics } = this.#options;
    if (performance.now() < this.#pausedUntilMs) {
      metrics.limitStoreMisses.inc();
      return undefined;
    }
    try {
      return await within(ANSWER_MS, this.#ask(policy, key, points));
    } catch (error) {
      // One line for all the requests that find out at the same time.
      if (performance.now() >= this.#pausedUntilMs) {
        log.warn({ err: error }, 'The shared rate limits are away; this process counts for itself');
      }
      this.#pausedUntilMs = performance.now() + PAUSE_MS;
      metrics.limitStoreMisses.inc();
      return undefined;
    }
  }

  async #ask(policy: SharedPolicy, key: string, points: number): Promise<Count> {
    let counter = this.#counters.get(policy.name);
    if (!counter) {
      counter = new SharedCounter(await this.#options.pool(), policy);
      this.#counters.set(policy.name, counter);
    }
    return counter.hit(key, points);
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`No answer within ${ms} ms`));
  }, ms);
  // Whichever comes second has nobody who listens.
  work.catch(() => undefined);
  return Promise.race([work, late]).finally(() => {
    clearTimeout(timer);
  });
}

/** Deletes counters whose window is over. */
export async function purgeRateLimits(em: EntityManager, now: Date): Promise<void> {
  await sql`delete from rate_limit where expire <= ${now.getTime()}`.execute(em.getKysely());
}
