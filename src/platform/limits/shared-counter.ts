import type { Pool } from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { sha256 } from '../random.js';
import type { Count } from './window-counter.js';

/** Of all policies; the name comes first in a key. */
const TABLE = 'rate_limit';

/**
 * Counts by key in the database, for every process at once. Its windows begin with a key's first request. Once a key
 * has used its quota up, the rest of its window costs no statement.
 */
export class SharedCounter {
  readonly #limiter: RateLimiterPostgres;
  readonly #quota: number;

  constructor(
    pool: Pool,
    policy: { readonly name: string; readonly quota: number; readonly windowSeconds: number },
  ) {
    this.#quota = policy.quota;
    this.#limiter = new RateLimiterPostgres({
      // Without the library's name for the statement, which a pooler in between could not keep.
      storeClient: {
        query: ({ text, values }: { text: string; values: unknown[] }) => pool.query(text, values),
      },
      storeType: 'pool',
      tableName: TABLE,
      tableCreated: true,
      // A job does it, for all.
      clearExpiredByTimeout: false,
      keyPrefix: policy.name,
      points: policy.quota,
      duration: policy.windowSeconds,
      inMemoryBlockOnConsumed: policy.quota + 1,
    });
  }

  /** Rejects when the database does not answer. */
  async hit(key: string, points: number): Promise<Count> {
    try {
      // The digest: license keys and tokens have no business in a table of counters.
      const { consumedPoints, msBeforeNext } = await this.#limiter.consume(digestOf(key), points);
      return { points: consumedPoints, resetMs: msBeforeNext };
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      return { points: Math.max(error.consumedPoints, this.#quota + 1), resetMs: error.msBeforeNext };
    }
  }
}

function digestOf(key: string): string {
  return sha256(key).toString('base64url');
}
