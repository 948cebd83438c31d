import type { Client } from 'discord.js';
import type { Clock } from '../../platform/clock.js';
import type { ActionContext } from '../../platform/context.js';
import type { DomainError } from '../../platform/errors.js';
import { botError, isPassing } from '../bot-error.js';
import type { BotLog } from '../logs/bot-log.js';
import { loginFailure } from '../platform-failure.rules.js';
import type { Presence } from '../presence/presence.rules.js';
import { stateAfter } from './client.states.js';
import type { ClientMove, ClientState } from './client.states.js';
import { CLIENT_LIMITS } from './client-limits.js';
import type { ClientLimits } from './client-limits.js';
import type { ClientChange, ClientSnapshot, LastError } from './client-snapshot.js';
import type { Connection, Identity } from './connection.js';

/** Whatever the platform asks for, it is tried again after this. */
const WAIT_MAX_MS = 3_600_000;

export interface BotClientOptions {
  /** The platform, the token for it, and what the bot shows; asked for at each start. */
  readonly platform: () => {
    readonly token: string;
    readonly apiUrl: string;
    readonly guildId: string | undefined;
  };
  readonly presence: Presence;
  readonly limits?: Partial<ClientLimits>;
  readonly clock: Clock;
  readonly log: BotLog;
  /** Called with every new client before it logs in: whoever listens later misses its first events. */
  readonly onClient?: (client: Client) => void;
  /** Told of every change of state, in order and one at a time; moves wait for it before they answer. */
  readonly onChange: (change: ClientChange) => Promise<void>;
}

export interface Moved {
  /** False: the move didn't apply. */
  readonly changed: boolean;
}

/**
 * The bot's client through all its connections. One operation at a time, in the order in which they were asked for;
 * only a stop doesn't wait: it ends what is under way at once, and whatever was asked for before it is answered
 * `BOT_STOPPED`.
 */
export class BotClient {
  readonly #options: BotClientOptions;
  readonly #limits: ClientLimits;
  #state: ClientState = 'stopped';
  #since: Date;
  #lastError: LastError | null = null;
  #readyAt: Date | null = null;
  #identity: Identity | undefined;
  #presence: Presence;
  #connection: Connection | undefined;
  /** Settles when the operations asked for so far are done. */
  #operations: Promise<unknown> = Promise.resolve();
  #told: Promise<void> = Promise.resolve();
  /** Counts stops: an operation that was asked for before the latest one is void. */
  #stops = 0;
  /** The watchdog's, or the next attempt's. */
  #timer: NodeJS.Timeout | undefined;
  #attempts = 0;
  #isClosed = false;

  constructor(options: BotClientOptions) {
    this.#options = options;
    this.#limits = { ...CLIENT_LIMITS, ...options.limits };
    this.#presence = options.presence;
    this.#since = options.clock.now();
  }

  get snapshot(): ClientSnapshot {
    return {
      ...{ state: this.#state, since: this.#since, lastError: this.#lastError, readyAt: this.#readyAt },
      ...{ ping: this.#connection?.ping ?? null, shards: this.#connection?.shards ?? 0 },
      identity: this.#knownIdentity(),
    };
  }

  /** As of now where it is connected: names change. */
  #knownIdentity(): Identity | undefined {
    return (this.#identity = this.#connection?.identity ?? this.#identity);
  }

  /** The connection, while the bot runs. Throws `BOT_NOT_RUNNING`. */
  get running(): Connection {
    if (this.#state === 'running' && this.#connection) return this.#connection;
    throw botError('BOT_NOT_RUNNING', `The bot is ${this.#state}; start it first`);
  }

  /** Connects. Throws why it can't; `BOT_STOPPED` when a stop came in between. */
  start(by?: ActionContext): Promise<Moved> {
    return this.#inTurn(async (stops) => {
      if (stateAfter(this.#state, 'start') === undefined) return { changed: false };
      await this.#open(stops, by);
      return { changed: true };
    });
  }

  /** Disconnects, within 5 s whatever the platform does. */
  async stop(by?: ActionContext): Promise<Moved> {
    this.#stops += 1;
    this.#clearTimer();
    const moved = this.#move('stop', by);
    const ended = moved ? this.#endConnection(by) : undefined;
    return this.#enqueue(async () => {
      await ended;
      return { changed: moved };
    });
  }

  /** Ends the session and begins a new one; also starts what was stopped. */
  restart(by?: ActionContext): Promise<Moved> {
    return this.#inTurn(async (stops) => {
      this.#clearTimer();
      if (this.#move('stop', by)) await this.#endConnection(by);
      this.#throwIfStopped(stops);
      await this.#open(stops, by);
      return { changed: true };
    });
  }

  /** Disconnects for good: what is asked for from now on is answered `BOT_UNAVAILABLE`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.stop();
  }

  /** Keeps the presence for this and every later connection. True when it was sent now. */
  setPresence(presence: Presence): boolean {
    this.#presence = presence;
    this.#connection?.setPresence(presence);
    return this.#state === 'running';
  }

  /** Runs it in its turn, unless a stop comes first. `stops` tells it whether one came meanwhile. */
  #inTurn(operation: (stops: number) => Promise<Moved>): Promise<Moved> {
    const stops = this.#stops;
    return this.#enqueue(() => {
      this.#throwIfStopped(stops);
      return operation(stops);
    });
  }

  #enqueue(operation: () => Promise<Moved>): Promise<Moved> {
    const done = this.#operations.then(async () => {
      try {
        return await operation();
      } finally {
        await this.#told;
      }
    });
    this.#operations = done.catch(() => undefined);
    return done;
  }

  #throwIfStopped(stops: number): void {
    if (this.#isClosed)
      throw botError('BOT_UNAVAILABLE', 'This process runs the bot no more; try again shortly');
    if (stops !== this.#stops) throw botError('BOT_STOPPED', 'The bot was stopped before this was done');
  }

  async #open(stops: number, by: ActionContext | undefined): Promise<void> {
    this.#clearTimer();
    this.#move('start', by);
    try {
      await this.#connect(stops);
      this.#readyAt = this.#options.clock.now();
      this.#attempts = 0;
      this.#move('ready', by);
    } catch (error) {
      const failure = loginFailure(error);
      await this.#fail(failure, by);
      throw failure;
    }
  }

  /** Opens a connection, from then on the current one. What goes wrong with it later counts while it is the current one. */
  async #connect(stops: number): Promise<void> {
    const { platform, log } = this.#options;
    // 60 MB that a process without a running bot doesn't need.
    const { Connection } = await import('./connection.js');
    this.#throwIfStopped(stops);
    const connection: Connection = new Connection({
      ...platform(),
      ...{ presence: this.#presence, limits: this.#limits, log },
      onDropped: () => {
        if (this.#connection === connection) this.#onDropped();
      },
      onResumed: () => {
        if (this.#connection === connection && this.#move('resumed')) this.#clearTimer();
      },
      onRefused: (failure) => {
        if (this.#connection === connection) void this.#fail(failure);
      },
    });
    this.#connection = connection;
    this.#options.onClient?.(connection.client);
    await connection.open();
    this.#throwIfStopped(stops);
  }

  #onDropped(): void {
    if (!this.#move('dropped')) return;
    this.#options.log.warn('The connection to the platform dropped; reconnecting');
    this.#schedule(this.#limits.reconnectMs, () => this.#revive());
  }

  /** The watchdog: the library didn't get back by itself, so a new client tries. */
  async #revive(): Promise<void> {
    await this.#inTurn(async (stops) => {
      if (this.#state !== 'reconnecting') return { changed: false };
      this.#options.log.warn('The platform is away for too long; trying with a new client');
      const old = this.#connection;
      this.#connection = undefined;
      await old?.end();
      try {
        await this.#connect(stops);
        this.#readyAt = this.#options.clock.now();
        this.#attempts = 0;
        this.#move('resumed');
      } catch (error) {
        const failure = loginFailure(error);
        if (!isPassing(failure)) await this.#fail(failure);
        else if (stateAfter(this.#state, 'resumed') !== undefined) {
          this.#note(failure);
          this.#schedule(this.#nextWait(failure), () => this.#revive());
        }
      }
      return { changed: true };
    }).catch(() => undefined);
  }

  /** Goes to `failed`, unless a stop was faster, and tries again later if the platform was only away. */
  async #fail(failure: DomainError, by?: ActionContext): Promise<void> {
    if (stateAfter(this.#state, 'refused') === undefined) return;
    this.#note(failure);
    this.#options.log.error(`The bot failed: ${failure.message} (${failure.code})`);
    this.#clearTimer();
    this.#readyAt = null;
    this.#move('refused', by);
    const connection = this.#connection;
    this.#connection = undefined;
    if (isPassing(failure))
      this.#schedule(this.#nextWait(failure), () => this.start().catch(() => undefined));
    await connection?.end();
  }

  async #endConnection(by: ActionContext | undefined): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.end();
    this.#readyAt = null;
    this.#move('ended', by);
  }

  #move(move: ClientMove, by?: ActionContext): boolean {
    const from = this.#state;
    const to = stateAfter(from, move);
    if (to === undefined) return false;
    this.#state = to;
    this.#since = this.#options.clock.now();
    const change = { from, by, snapshot: this.snapshot };
    this.#told = this.#told
      .then(() => this.#options.onChange(change))
      .catch((error: unknown) => {
        this.#options.log.error(`A change of the bot's state can't be stored: ${String(error)}`);
      });
    return true;
  }

  #note({ code }: DomainError): void {
    this.#lastError = { code, at: this.#options.clock.now() };
  }

  /** 5 s, 10 s, … 5 min, or longer when the platform asks for it. */
  #nextWait({ headers }: DomainError): number {
    const { firstWaitMs, longestWaitMs } = this.#limits;
    const wait = Math.min(firstWaitMs * 2 ** this.#attempts++, longestWaitMs);
    return Math.min(Math.max(wait, Number(headers['Retry-After'] ?? 0) * 1000), WAIT_MAX_MS);
  }

  #schedule(ms: number, work: () => Promise<unknown>): void {
    this.#clearTimer();
    this.#timer = setTimeout(() => void work(), ms);
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
