import { CHANNEL_PACE, packLines, waitBeforeNext } from './pace.rules.js';
import type { Pace } from './pace.rules.js';

export interface LogDeliveryOptions {
  /** Sends text to a channel; rejects with why it can't. */
  readonly send: (channel: string, text: string) => Promise<unknown>;
  /** Whether a message failed because the platform is away: it was not posted, and is tried again. */
  readonly isAway?: (error: unknown) => boolean;
  /** Called after each message: for whom it was, and why it failed if it did. Never throws. */
  readonly onOutcome: (tellers: ReadonlySet<string>, error: unknown) => void;
  readonly pace?: Pace;
}

interface Line {
  /** Who tells it: a module's id, or `core`. */
  readonly teller: string;
  readonly text: string;
}

interface Queue {
  readonly lines: Line[];
  /** When the latest messages were sent, in ms. */
  sent: number[];
  dropped: number;
  /** How often the next message has failed while the platform was away, and when it is tried again, in ms. */
  failures: number;
  notBefore: number;
  isSending: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** A platform that stays away longer costs the message. */
const ATTEMPTS_MAX = 4;
const AGAIN_MS = 1_000;

/** Lines that may wait for one channel; beyond it, the oldest are dropped and counted. */
const WAITING_MAX = 500;

/**
 * Brings lines to channels, each as soon as the pace of its channel allows; what has gathered meanwhile goes in one
 * message. Nobody waits for it. While the bot is not connected, lines wait.
 */
export class LogDelivery {
  readonly #options: LogDeliveryOptions;
  readonly #pace: Pace;
  readonly #queues = new Map<string, Queue>();
  #isOpen = false;

  constructor(options: LogDeliveryOptions) {
    this.#options = options;
    this.#pace = options.pace ?? CHANNEL_PACE;
  }

  tell(teller: string, channel: string, text: string): void {
    const queue = this.#queueOf(channel);
    queue.lines.push({ teller, text });
    if (queue.lines.length > WAITING_MAX) {
      queue.lines.shift();
      queue.dropped += 1;
    }
    this.#pump(channel, queue);
  }

  /** The bot is connected now. */
  open(): void {
    this.#isOpen = true;
    for (const [channel, queue] of this.#queues) this.#pump(channel, queue);
  }

  /** The bot is not connected; what is told now waits. */
  shut(): void {
    this.#isOpen = false;
    for (const queue of this.#queues.values()) clearTimeout(queue.timer);
  }

  #queueOf(channel: string): Queue {
    const known = this.#queues.get(channel);
    if (known) return known;
    const queue: Queue = {
      lines: [],
      sent: [],
      dropped: 0,
      failures: 0,
      notBefore: 0,
      isSending: false,
      timer: undefined,
    };
    this.#queues.set(channel, queue);
    return queue;
  }

  #pump(channel: string, queue: Queue): void {
    if (!this.#isOpen || queue.isSending || queue.lines.length === 0) return;
    clearTimeout(queue.timer);
    const now = performance.now();
    const waitMs = Math.max(waitBeforeNext(queue.sent, this.#pace, now), queue.notBefore - now);
    if (waitMs > 0) {
      queue.timer = setTimeout(() => {
        this.#pump(channel, queue);
      }, waitMs);
      return;
    }
    queue.isSending = true;
    void this.#sendNext(channel, queue).then(() => {
      queue.isSending = false;
      this.#pump(channel, queue);
    });
  }

  async #sendNext(channel: string, queue: Queue): Promise<void> {
    const note = queue.dropped > 0 ? [`… ${queue.dropped} more were not posted`] : [];
    queue.dropped = 0;
    const { text, count } = packLines([...note, ...queue.lines.map((line) => line.text)]);
    const lines = queue.lines.splice(0, count - note.length);
    const tellers = new Set(lines.map(({ teller }) => teller));
    queue.sent = [...queue.sent, performance.now()].slice(-this.#pace.messages);
    try {
      await this.#options.send(channel, text);
      queue.failures = 0;
      this.#options.onOutcome(tellers, undefined);
    } catch (error) {
      queue.failures += 1;
      if (this.#options.isAway?.(error) && queue.failures < ATTEMPTS_MAX) {
        queue.lines.unshift(...lines);
        queue.notBefore = performance.now() + AGAIN_MS * queue.failures;
        return;
      }
      queue.failures = 0;
      this.#options.onOutcome(tellers, error);
    }
  }
}
