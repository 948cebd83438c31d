import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import type { BotLog } from './bot-log.js';
import { storableMessage } from './log-line.rules.js';
import type { LineLevel } from './log-line.rules.js';
import type { NewLine } from './log.repository.js';

export interface ConsoleLogOptions {
  readonly store: (lines: readonly NewLine[]) => Promise<void>;
  readonly clock: Clock;
  /** The process' own log, which gets every line too. */
  readonly log: Logger;
  /** What must never stand in a line. */
  readonly secrets: readonly string[];
}

const BATCH_MS = 200;
const RETRY_MS = 2_000;
/** Lines that wait for a database that is away; beyond it the oldest are lost. */
const WAITING_MAX = 1000;

/** The bot's console: lines are masked, gathered for {@link BATCH_MS}, and stored in one statement. */
export class ConsoleLog implements BotLog {
  readonly #options: ConsoleLogOptions;
  #waiting: NewLine[] = [];
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> = Promise.resolve();

  constructor(options: ConsoleLogOptions) {
    this.#options = options;
  }

  debug(message: string): void {
    this.#add('debug', message);
  }

  info(message: string): void {
    this.#add('info', message);
  }

  warn(message: string): void {
    this.#add('warn', message);
  }

  error(message: string): void {
    this.#add('error', message);
  }

  /** Stores what waits. Lines that can't be stored now are tried again. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One batch after the other: the order of lines is the order of their ids.
    this.#storing = this.#storing.then(() => this.#store());
    await this.#storing;
  }

  /** Stores what waits, once. */
  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
  }

  #add(level: LineLevel, message: string): void {
    const { clock, log, secrets } = this.#options;
    const stored = storableMessage(message, secrets);
    log[level](stored);
    this.#waiting.push({ time: clock.now(), level, message: stored });
    if (this.#waiting.length > WAITING_MAX) {
      this.#waiting.shift();
      this.#lost += 1;
    }
    this.#timer ??= setTimeout(() => void this.flush(), BATCH_MS);
  }

  async #store(): Promise<void> {
    const lost = this.#lost;
    const lines = this.#waiting;
    if (lines.length === 0) return;
    this.#waiting = [];
    this.#lost = 0;
    try {
      await this.#options.store(lost === 0 ? lines : [this.#gap(lost), ...lines]);
    } catch (error) {
      this.#options.log.debug({ err: error }, "the bot's console can't be stored now");
      const all = [...lines, ...this.#waiting];
      this.#waiting = all.slice(-WAITING_MAX);
      this.#lost += lost + all.length - this.#waiting.length;
      this.#timer ??= setTimeout(() => void this.flush(), RETRY_MS);
    }
  }

  #gap(lost: number): NewLine {
    const message = `${lost} earlier lines were lost, since the database was away`;
    return { time: this.#options.clock.now(), level: 'warn', message };
  }
}
