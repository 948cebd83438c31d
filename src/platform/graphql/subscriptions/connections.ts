import type { Caller } from '../../context.js';
import { DomainError, failure } from '../../errors.js';
import type { Metrics } from '../../metrics.js';

/** A connection that carries subscriptions. */
export interface Connection {
  readonly transport: 'websocket' | 'event-stream';
  /** The API key; undefined until it is presented. */
  readonly presented: string | undefined;
  /** Ends it because its key is no longer good. */
  refuse(error: DomainError): void;
  /** Ends it because the server stops. */
  goAway(): void;
}

export interface ConnectionsOptions {
  /** Most connections that this process keeps. */
  readonly max: number;
  /** How often the keys of open connections are looked at again. */
  readonly recheckMs: number;
  /** Throws when the key of an open connection is no longer good. */
  readonly lookAgain: (presented: string) => Promise<Caller>;
  readonly metrics: Metrics;
}

/** The open connections of this process: not too many, none longer than its key is good, none past the stop. */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Connection>();
  readonly #recheck: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#recheck = setInterval(() => void this.#checkKeys(), options.recheckMs);
    this.#recheck.unref();
  }

  /** Throws `UNAVAILABLE` (503) when there are too many. */
  assertRoom(): void {
    const { max } = this.#options;
    if (this.#open.size < max) return;
    throw failure(
      'UNAVAILABLE',
      `${max} subscriptions are open already (SUBSCRIPTIONS.MAX); try again later`,
      {
        headers: { 'Retry-After': '10' },
      },
    );
  }

  add(connection: Connection): void {
    if (this.#isClosed) connection.goAway();
    this.#open.add(connection);
    this.#options.metrics.subscriptionConnections.inc({ transport: connection.transport });
  }

  remove(connection: Connection): void {
    if (!this.#open.delete(connection)) return;
    this.#options.metrics.subscriptionConnections.dec({ transport: connection.transport });
  }

  /** Ends them all, now. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#recheck);
    for (const connection of [...this.#open]) connection.goAway();
  }

  /** Each key once, however many connections it has opened. */
  async #checkKeys(): Promise<void> {
    for (const [presented, connections] of Map.groupBy(this.#open, (connection) => connection.presented)) {
      if (presented === undefined) continue;
      try {
        await this.#options.lookAgain(presented);
      } catch (error) {
        // A database that is away says nothing about the key.
        if (!(error instanceof DomainError)) continue;
        for (const connection of connections) connection.refuse(error);
      }
    }
  }
}
