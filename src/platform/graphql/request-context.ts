import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type DataLoader from 'dataloader';
import type { Settings } from '../../config.js';
import type { Clock } from '../clock.js';
import type { ActionContext, Caller, ClientInfo, Source } from '../context.js';
import { isRetryable } from '../db/database-errors.js';
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
  readonly caller: Caller;
  readonly source: Source;
  readonly requestId: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: Settings;
  readonly metrics: Metrics;
  readonly pubsub: PubSub;
  readonly client: ClientInfo;
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
  /** Set by an operation whose REST response is to be signed: gives the headers for the exact body that is sent. */
  signBody: ((body: string) => Readonly<Record<string, string>>) | undefined;
  /** Set by an operation whose REST response is a file. */
  content: Content | undefined;
  /** For the request log; written once the response is out. */
  readonly facts: RequestFacts = {};
  // Private by type only: Apollo hands resolvers a shallow copy, and a copy has no #members.
  private readonly orm: MikroORM;
  private readonly loaders = new Map<unknown, DataLoader<unknown, unknown>>();
  private current: EntityManager | undefined;
  private inTransaction = false;

  constructor(options: RequestContextOptions) {
    this.orm = options.orm;
    this.caller = options.caller;
    this.source = options.source;
    this.requestId = options.requestId;
    this.clock = options.clock;
    this.log = options.log;
    this.settings = options.settings;
    this.metrics = options.metrics;
    this.pubsub = options.pubsub;
    this.client = options.client;
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

  /** Forgets every entity and loaded value, e.g. between two pages of a streamed list. */
  reset(): void {
    this.current = undefined;
    this.loaders.clear();
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
