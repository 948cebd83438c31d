import { Client } from 'pg';
import type { Logger } from '../logger.js';

/** What listens on which channel, and who is told. */
export interface ListenerOptions {
  readonly url: string;
  readonly channel: string;
  readonly log: Logger;
  readonly onMessage: (text: string) => void;
  /** The connection has broken, and nobody had closed it. Called once. */
  readonly onLost: () => void;
}

/** How long the database may take to answer before the connection counts as broken. */
const TIMEOUT_MS = 10_000;

/** A connection of its own that listens, since one from a pool would not stay. */
export class Listener {
  readonly #client: Client;
  #isOpen = false;
  /** One statement after the other: the client would queue them too, under protest. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor({ url, log, onMessage, onLost }: ListenerOptions) {
    this.#client = new Client({
      connectionString: url,
      application_name: 'licensing-live',
      keepAlive: true,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
    });
    // A broken connection says 'error' or nothing, and 'end' in any case.
    this.#client.on('error', (error) => {
      log.debug({ err: error }, 'the connection that listens has an error');
    });
    this.#client.once('end', () => {
      if (!this.#isOpen) return;
      this.#isOpen = false;
      onLost();
    });
    this.#client.on('notification', ({ payload }) => {
      onMessage(payload ?? '');
    });
  }

  /** Connects and listens; rejects when it can't. */
  static async open(options: ListenerOptions): Promise<Listener> {
    const listener = new Listener(options);
    try {
      await listener.#client.connect();
      await listener.#client.query(`listen ${options.channel}`);
    } catch (error) {
      await listener.close();
      throw error;
    }
    listener.#isOpen = true;
    return listener;
  }

  /** Runs a statement on the connection; resolves to its rows. */
  async query<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    const result = this.#last.then(() => this.#client.query<Row>(text, values));
    this.#last = result.catch(() => undefined);
    return (await result).rows;
  }

  /** As if the connection had broken, for one that no longer answers. */
  async giveUp(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.giveUp();
  }
}
