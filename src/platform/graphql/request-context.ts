import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type DataLoader from 'dataloader';
import type { Settings } from '../../config.js';
import type { Clock } from '../clock.js';
import type { ActionContext, Caller, ClientInfo, Source } from '../context.js';
import { isConnectionLost, isRetryable } from '../db/database-errors.js';
import type { Replicas } from '../db/replicas.js';
import type { Limits } from '../limits/limits.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import type { Content } from '../rest/content.js';
import type { PubSub } from '../pubsub/pubsub.js';

/** What an operation tells the request log about itself. */
export interface RequestFacts {
  code?: string;
  /** The code is a validation's verdict. */
  isVerdict?: boolean;
  license?: string;
  product?: string;
  customer?: string;
}

/** A data loader as a function of the context, made once a request: `ctx.load(productById, 7)`. */
export type LoaderFactory<K, V> = (ctx: RequestContext) => DataLoader<K, V>;

interface RequestContextOptions {
  readonly orm: MikroORM;
  /** Where lists may be read; none: on the primary. */
  readonly replicas?: Replicas | undefined;
  readonly caller: Caller;
  readonly source: Source;
  readonly requestId: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: Settings;
  readonly metrics: Metrics;
  readonly pubsub: PubSub;
  readonly client: ClientInfo;
  /** Absent: nothing is limited, as for what the process asks itself. */
  readonly limits?: Limits | undefined;
  /** Puts headers on the answer, as long as that has not begun. */
  readonly announce?: (headers: Readonly<Record<string, string>>) => void;
}

/** How often a transaction is run again after a deadlock or a serialization failure. */
const ATTEMPTS_MAX = 4;

/**
 * The GraphQL context: what a resolver hands on to services, for both roads.
 *
 * `em` is forked on first use, so an operation that needs none pays nothing; inside {@link transaction} it is the
 * transaction's. Loaders live as long as their entity manager: a mutation's answer never shows what was loaded
 * before it.
 */
export class RequestContext implements ActionContext {
  readonly caller: Caller;
  readonly source: Source;
  readonly requestId: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: Settings;
  readonly metrics: Metrics;
  /** What subscriptions subscribe to. */
  readonly pubsub: PubSub;
  readonly client: ClientInfo;
  readonly limits: Limits | undefined;
  /** Puts headers on the answer, as long as that has not begun; not for GraphQL subscriptions, which answer often. */
  readonly announce: (headers: Readonly<Record<string, string>>) => void;
  /** Set by an operation whose REST response is to be signed: gives the headers for the exact body that is sent. */
  signBody: ((body: string) => Readonly<Record<string, string>>) | undefined;
  /** Set by an operation whose REST response is a file. */
  content: Content | undefined;
  /** For the request log; written once the response is out. */
  readonly facts: RequestFacts = {};
  // Private by type only: Apollo hands resolvers a shallow copy, and a copy has no #members.
  private readonly orm: MikroORM;
  private readonly replicas: Replicas | undefined;
  private readonly loaders = new Map<unknown, DataLoader<unknown, unknown>>();
  private current: EntityManager | undefined;
  private inTransaction = false;
  /** Under way to a replica, or there (true), or not (false). */
  private onReplica: Promise<boolean> | undefined;

  constructor(options: RequestContextOptions) {
    this.orm = options.orm;
    this.replicas = options.replicas;
    this.caller = options.caller;
    this.source = options.source;
    this.requestId = options.requestId;
    this.clock = options.clock;
    this.log = options.log;
    this.settings = options.settings;
    this.metrics = options.metrics;
    this.pubsub = options.pubsub;
    this.client = options.client;
    this.limits = options.limits;
    this.announce = options.announce ?? (() => undefined);
  }

  /** For what keeps no entities: no unit of work is made for it. Within {@link transaction} that one's. */
  get database(): EntityManager {
    return this.current ?? this.orm.em;
  }

  get em(): EntityManager {
    return (this.current ??= this.orm.em.fork());
  }

  /** Loads by key, batched over everything that asks in the same tick. */
  load<K, V>(factory: LoaderFactory<K, V>, key: K): Promise<V> {
    let loader = this.loaders.get(factory) as DataLoader<K, V> | undefined;
    if (!loader) {
      loader = factory(this);
      this.loaders.set(factory, loader);
    }
    return loader.load(key);
  }

  /** Loads one value for each key, in their order, and each key once; null where the key is. */
  async loadAll<K, V>(
    factory: LoaderFactory<K, V>,
    keys: readonly (K | null | undefined)[],
  ): Promise<(V | null)[]> {
    const loads = new Map<K, Promise<V>>();
    for (const key of keys) if (key != null && !loads.has(key)) loads.set(key, this.load(factory, key));
    const values = await Promise.all(loads.values());
    const found = new Map([...loads.keys()].map((key, at) => [key, values[at]]));
    return keys.map((key) => (key == null ? null : (found.get(key) ?? null)));
  }

  /** Forgets every entity and loaded value, e.g. between two pages of a streamed list. */
  reset(): void {
    this.current = undefined;
    this.onReplica = undefined;
    this.loaders.clear();
  }

  /**
   * Runs the read of a list on a replica that is up to date, and so is what is loaded for its rows; on the primary when
   * there is none, or when something was read there already. A replica that fails is no reason to fail.
   */
  async readList<T>(work: () => T | Promise<T>): Promise<T> {
    if (!this.replicas || this.inTransaction) return work();
    this.onReplica ??= this.current ? Promise.resolve(false) : this.goToReplica(this.replicas);
    const isThere = await this.onReplica;
    try {
      return await work();
    } catch (error) {
      if (!isThere || !(isConnectionLost(error) || isRetryable(error))) throw error;
      this.log.warn({ err: error, requestId: this.requestId }, 'A replica failed; the primary answers');
      this.reset();
      this.onReplica = Promise.resolve(false);
      return work();
    }
  }

  private async goToReplica(replicas: Replicas): Promise<boolean> {
    const em = await replicas.caughtUp();
    if (!em || this.current) return false;
    this.current = em;
    return true;
  }

  /**
   * Runs `work` in one transaction, with `em` in it; within another transaction it joins that one. After a deadlock
   * or a serialization failure everything was rolled back and `work` runs again, so it must have no other effects.
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.inTransaction) return work();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(work);
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !isRetryable(error)) throw error;
        this.log.debug({ attempt, requestId: this.requestId }, 'transaction runs again after a conflict');
      }
    }
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T> {
    this.inTransaction = true;
    try {
      return await this.orm.em.fork().transactional((em) => {
        this.reset();
        this.current = em;
        return work();
      });
    } finally {
      this.inTransaction = false;
      this.reset();
    }
  }
}
