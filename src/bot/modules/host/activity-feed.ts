import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Logger } from '../../../platform/logger.js';
import type { ActivityEvent } from '../define-module.js';

export interface ActivityFeedOptions {
  readonly orm: MikroORM;
  readonly log: Logger;
  /** How often it looks for new entries, while somebody listens. */
  readonly pollMs: number;
}

interface Subscription {
  readonly pattern: string;
  readonly listener: (entry: ActivityEvent) => Promise<void>;
}

interface Row extends Omit<ActivityEvent, 'resource'> {
  readonly resource_type: string;
  readonly resource_id: string;
}

const BATCH = 200;
/**
 * How far back it looks for ids that were drawn early and committed late. A transaction that holds its id while this
 * many others get theirs goes unheard; that is for whoever must miss nothing, who takes webhooks.
 */
const OVERLAP = 500;

/**
 * The entries of the activity log as they come, for modules. It reads and isn't told: notifying would make every change
 * in the database wait in one line at its commit, and chat is in no hurry.
 */
export class ActivityFeed {
  readonly #options: ActivityFeedOptions;
  readonly #subscriptions = new Set<Subscription>();
  /** Ids within the overlap that were handed out. */
  #seen = new Set<string>();
  /** The highest id seen; undefined while nobody listens. */
  #last: bigint | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(options: ActivityFeedOptions) {
    this.#options = options;
  }

  /** From now on; answers what ends it. */
  subscribe(pattern: string, listener: Subscription['listener']): () => void {
    const subscription = { pattern, listener };
    this.#subscriptions.add(subscription);
    if (this.#timer === undefined) this.#start();
    return () => {
      this.#subscriptions.delete(subscription);
      if (this.#subscriptions.size === 0) this.#stop();
    };
  }

  async close(): Promise<void> {
    this.#subscriptions.clear();
    this.#stop();
    await this.#reading;
  }

  #start(): void {
    const { pollMs } = this.#options;
    this.#reading = this.#reading.then(() => this.#attempt(() => this.#begin()));
    this.#timer = setInterval(() => {
      this.#reading = this.#reading.then(() => this.#attempt(() => this.#read()));
    }, pollMs);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#last = undefined;
    this.#seen.clear();
  }

  /** The database may be away for a while; the next look finds what came meanwhile. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.log.debug({ err: error }, 'the activity log can not be read now');
    }
  }

  /** What is there already is no news. */
  async #begin(): Promise<void> {
    const rows = await this.#rowsAfter(0n, 'newest');
    this.#seen = new Set(rows.map(({ id }) => id));
    this.#last = BigInt(rows[0]?.id ?? 0);
  }

  async #read(): Promise<void> {
    if (this.#timer === undefined) return;
    if (this.#last === undefined) {
      await this.#begin();
      return;
    }
    const rows = await this.#rowsAfter(this.#last - BigInt(OVERLAP), 'oldest');
    for (const { resource_type: type, resource_id: id, ...row } of rows.filter(
      (row) => !this.#seen.has(row.id),
    )) {
      this.#seen.add(row.id);
      if (this.#last < BigInt(row.id)) this.#last = BigInt(row.id);
      const entry = { ...row, resource: { type, id } };
      for (const { pattern, listener } of this.#subscriptions) {
        // One after the other, so that a slow listener is not run over by what comes next.
        if (matches(pattern, entry.event)) await listener(entry);
      }
    }
    const oldest = this.#last - BigInt(OVERLAP);
    for (const id of this.#seen) if (BigInt(id) <= oldest) this.#seen.delete(id);
  }

  async #rowsAfter(id: bigint, which: 'oldest' | 'newest'): Promise<Row[]> {
    const seen = which === 'oldest' ? [...this.#seen] : [];
    const { rows } = await sql<Row>`
      select id::text, event, actor, resource_type, resource_id, changes, created_at as "createdAt"
        from activity where id > ${String(id)}::bigint and id <> all(${seen}::bigint[])
       order by activity.id ${sql.raw(which === 'newest' ? 'desc' : 'asc')}
       limit ${which === 'newest' ? OVERLAP : BATCH}`.execute(this.#options.orm.em.fork().getKysely());
    return rows;
  }
}

/** `*`, `license.*`, or an event's own name. */
export function matches(pattern: string, event: string): boolean {
  if (pattern === '*') return true;
  return pattern.endsWith('.*') ? event.startsWith(pattern.slice(0, -1)) : event === pattern;
}
