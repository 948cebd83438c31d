import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Logger } from '../../platform/logger.js';
import { LEASE_LOCK } from '../status/bot.repository.js';

export interface LeaseOptions {
  readonly url: string;
  readonly log: Logger;
  /** Called when this process has the lease. The signal aborts when it has it no more; resolves soon after that. */
  readonly hold: (signal: AbortSignal) => Promise<void>;
}

/** How often whoever stands by tries. */
const TRY_MS = 2_000;
/** How often the holder makes sure that its connection is there, and how long the database may take to say so. */
const BEAT_MS = 3_000;
const ANSWER_MS = 4_000;
const RETRY_MS = 1_000;

/**
 * One process at a time, by an advisory lock on a connection of its own: the lock goes with the connection.
 *
 *   killed: its socket closes, and whoever stands by has the lease within {@link TRY_MS}
 *   cut off: the holder notices within 7 s (beat and answer) and has stopped within 5 s more; the server finds out by
 *            its keepalives after 25 s, so that the next one begins only when the last one has ended
 */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #closing = new AbortController();
  #done: Promise<void> = Promise.resolve();

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  open(): void {
    this.#done = this.#run();
  }

  /** Gives the lease back, once `hold` has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#connected();
      } catch (error) {
        this.#options.log.debug({ err: error }, "no connection for the bot's lease");
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** One connection, from its beginning to its end. Throws when it breaks. */
  async #connected(): Promise<void> {
    const client = new Client({
      connectionString: this.#options.url,
      application_name: 'licensing-bot-lease',
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    const lost = new AbortController();
    client.on('error', () => {
      lost.abort();
    });
    client.once('end', () => {
      lost.abort();
    });
    try {
      await client.connect();
      await client.query(`
        select set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
               set_config('tcp_keepalives_count', '3', false)`);
      const over = AbortSignal.any([lost.signal, this.#closing.signal]);
      if (await take(client, over)) await this.#hold(client, lost);
    } finally {
      // A server that is cut off would never answer.
      await Promise.race([client.end().catch(() => undefined), delay(RETRY_MS)]);
    }
    if (!this.#closing.signal.aborted) throw new Error('The connection was lost');
  }

  async #hold(client: Client, lost: AbortController): Promise<void> {
    const over = AbortSignal.any([lost.signal, this.#closing.signal]);
    const ended = new AbortController();
    const held = this.#options.hold(over).finally(() => {
      ended.abort();
    });
    // The beat goes on while a stop is under way, and ends with it.
    const beating = beat(client, lost, AbortSignal.any([lost.signal, ended.signal]));
    await held;
    await beating;
  }
}

/** True when it has the lock; false when it was over before. */
async function take(client: Client, over: AbortSignal): Promise<boolean> {
  while (!over.aborted) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [
      LEASE_LOCK.space,
      LEASE_LOCK.key,
    ]);
    if (rows[0]?.taken) return true;
    await delay(TRY_MS, undefined, { signal: over }).catch(() => undefined);
  }
  return false;
}

async function beat(client: Client, lost: AbortController, over: AbortSignal): Promise<void> {
  for (;;) {
    await delay(BEAT_MS, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return;
    await client.query('select 1').catch(() => {
      lost.abort();
    });
  }
}
