import type { KeyObject } from 'node:crypto';
import type { Pool } from 'undici';
import type { ClaimedDelivery } from './delivery-claim.repository.js';
import type { OpenPool } from './delivery-pools.js';

/** A target as deliveries need it: everything unsealed and parsed. */
export interface LaneTarget {
  readonly version: number;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The keys that sign at a moment, the present one first. */
  readonly keysAt: (now: Date) => readonly KeyObject[];
}

export interface LaneOptions {
  /** Deliveries on their way at once, each on a connection of its own. */
  readonly concurrency: number;
  readonly openPool: OpenPool;
  /** Delivers one; never rejects. */
  readonly deliver: (lane: Lane, delivery: ClaimedDelivery) => Promise<void>;
  /** Most deliveries that it may have at hand, on their way or waiting. */
  readonly atHandMax: number;
  /** Whether there is still time to begin it. */
  readonly isInTime: (delivery: ClaimedDelivery) => boolean;
  /** Gives back what it is too late to begin. */
  readonly giveBack: (delivery: ClaimedDelivery) => void;
  /** Told when half of what it may have at hand is done. */
  readonly onRoom: () => void;
}

/**
 * One target's own way out: its connections, its limit, and what waits for them. Lanes share nothing, so a target that
 * hangs holds up nobody but itself.
 */
export class Lane {
  target: LaneTarget;
  #pool: Pool;
  readonly #options: LaneOptions;
  /**
   * Most that it may have at hand now. A target that answers at once should never have to wait for the next claim; one
   * that doesn't should not keep what it can't begin in time.
   */
  #atHandMax: number;
  #waiting: ClaimedDelivery[] = [];
  /** It has said that there is room, and nothing has come yet. */
  #hasAsked = false;
  readonly #running = new Set<Promise<void>>();

  constructor(target: LaneTarget, options: LaneOptions) {
    this.target = target;
    this.#options = options;
    this.#atHandMax = options.atHandMax;
    this.#pool = this.#options.openPool(target.url.origin);
  }

  get pool(): Pool {
    return this.#pool;
  }

  /** How many deliveries it has at hand, on their way or waiting. */
  get size(): number {
    return this.#waiting.length + this.#running.size;
  }

  /** From now on it goes to the target as it is now. */
  retarget(target: LaneTarget): void {
    const old = this.#pool;
    const isElsewhere = target.url.origin !== this.target.url.origin;
    this.target = target;
    if (!isElsewhere) return;
    this.#pool = this.#options.openPool(target.url.origin);
    // What is on its way still arrives.
    void old.close().catch(() => undefined);
  }

  /** Most deliveries that it may have at hand. */
  get max(): number {
    return this.#atHandMax;
  }

  add(delivery: ClaimedDelivery): void {
    this.#hasAsked = false;
    this.#waiting.push(delivery);
    this.#next();
  }

  /** Takes back what has not begun. */
  takeWaiting(): ClaimedDelivery[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  /** Resolves when what is on its way has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #next(): void {
    while (this.#running.size < this.#options.concurrency) {
      const delivery = this.#waiting.shift();
      if (!delivery) return;
      if (!this.#options.isInTime(delivery)) {
        this.#giveBack(delivery);
        return;
      }
      const run = this.#options.deliver(this, delivery).finally(() => {
        this.#running.delete(run);
        this.#atHandMax = Math.min(this.#atHandMax + 1, this.#options.atHandMax);
        this.#next();
        this.#askIfLow();
      });
      this.#running.add(run);
    }
  }

  #askIfLow(): void {
    if (this.#hasAsked || this.size > this.#atHandMax / 2) return;
    this.#hasAsked = true;
    this.#options.onRoom();
  }

  /** With one, all that wait: they were claimed together, or later by a lane that is too slow. */
  #giveBack(first: ClaimedDelivery): void {
    this.#atHandMax = 2 * this.#options.concurrency;
    for (const delivery of [first, ...this.takeWaiting()]) this.#options.giveBack(delivery);
  }
}
