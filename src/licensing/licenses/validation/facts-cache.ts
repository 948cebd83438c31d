import type { Counter } from 'prom-client';
import { Batcher } from '../../../platform/batcher.js';
import { ByteBoundedMap } from '../../../platform/byte-bounded-map.js';
import { isConnectionLost } from '../../../platform/db/database-errors.js';
import type { Query } from '../../../platform/db/query.js';
import type { Metrics } from '../../../platform/metrics.js';
import { loadFacts } from './facts.repository.js';
import type { VersionedFacts } from './facts.repository.js';

/** What is known of a key: its license's facts, or that no license has it. */
export type KnownFacts = VersionedFacts | undefined;

type FactsMetrics = Pick<Metrics, 'factsLookups' | 'batchSize'>;

/** A parsed fact takes about three times the room of its text, and a key and an entry some of their own. */
const OVERHEAD_BYTES = 400;
const BYTES_PER_CHARACTER = 3;
/** The share of the room that unknown keys may take, so that guessing keys doesn't push out the known ones. */
const UNKNOWN_SHARE = 1 / 16;
const LOADS_AT_ONCE = 2;
const LOAD_BATCH_MAX = 200;

/**
 * What this process remembers of licenses. It may be of the past: whoever uses it checks the version in the statement
 * that records the verdict, and asks for it {@link fresh} when it no longer holds. Misses of one moment are one query.
 */
export class FactsCache {
  readonly #known: ByteBoundedMap<VersionedFacts>;
  readonly #unknown: ByteBoundedMap<true>;
  readonly #count: Record<'hit' | 'miss' | 'joined' | 'stale', Counter.Internal>;
  readonly #loads: Batcher<string, KnownFacts>;
  /** Loads under way, by key: whoever misses meanwhile waits for the same one. */
  readonly #loading = new Map<string, Promise<KnownFacts>>();

  constructor(query: Query, bytesMax: number, { factsLookups, batchSize }: FactsMetrics) {
    this.#known = new ByteBoundedMap(bytesMax * (1 - UNKNOWN_SHARE));
    this.#unknown = new ByteBoundedMap(bytesMax * UNKNOWN_SHARE);
    const load = async (lookups: readonly string[]) => {
      const found = await loadFacts(query, lookups);
      return lookups.map((lookup) => this.#keep(lookup, found.get(lookup)));
    };
    this.#loads = new Batcher(load, {
      ...{ inFlightMax: LOADS_AT_ONCE, batchMax: LOAD_BATCH_MAX },
      isShared: isConnectionLost,
      onBatch: (size) => {
        batchSize.observe({ batch: 'facts' }, size);
      },
    });
    this.#count = {
      hit: factsLookups.labels('hit'),
      miss: factsLookups.labels('miss'),
      joined: factsLookups.labels('joined'),
      stale: factsLookups.labels('stale'),
    };
  }

  /** From memory if it is there. */
  async get(lookup: string): Promise<KnownFacts> {
    const known = this.#known.get(lookup);
    if (known || this.#unknown.get(lookup)) {
      this.#count.hit.inc();
      return known;
    }
    const loading = this.#loading.get(lookup);
    if (loading) {
      this.#count.joined.inc();
      return loading;
    }
    this.#count.miss.inc();
    const load = this.#loads.ask(lookup).finally(() => this.#loading.delete(lookup));
    this.#loading.set(lookup, load);
    return load;
  }

  /** Read from the database after this call, since what was remembered no longer held. */
  fresh(lookup: string): Promise<KnownFacts> {
    this.#count.stale.inc();
    return this.#loads.ask(lookup);
  }

  #keep(lookup: string, facts: KnownFacts): KnownFacts {
    if (facts) {
      this.#unknown.delete(lookup);
      this.#known.set(lookup, facts, OVERHEAD_BYTES + BYTES_PER_CHARACTER * facts.bytes);
    } else {
      this.#known.delete(lookup);
      this.#unknown.set(lookup, true, OVERHEAD_BYTES + lookup.length);
    }
    return facts;
  }
}
