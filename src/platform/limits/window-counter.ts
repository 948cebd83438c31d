/** What a counter says after it has counted. */
export interface Count {
  readonly points: number;
  /** Until the window ends and everything is counted anew. */
  readonly resetMs: number;
}

/** Some 40 MB for each policy at most. Who has more clients than this a minute has more than one process. */
const KEYS_MAX = 250_000;

/**
 * Counts by key in windows of a fixed length, in memory, and answers at once: it stands on the path of every
 * validation. All keys share their windows, so that forgetting them costs nothing: no timer for each key, no sweep.
 */
export class WindowCounter {
  readonly #windowMs: number;
  readonly #keysMax: number;
  #window = 0;
  #counts = new Map<string, number>();

  constructor(windowSeconds: number, keysMax = KEYS_MAX) {
    this.#windowMs = windowSeconds * 1000;
    this.#keysMax = keysMax;
  }

  /** Keys beyond the bound are not counted: memory that anyone can fill would be worse than a limit that is late. */
  hit(key: string, points: number, nowMs: number): Count {
    const window = Math.floor(nowMs / this.#windowMs);
    if (window !== this.#window) {
      this.#window = window;
      this.#counts = new Map();
    }
    const before = this.#counts.get(key);
    const after = (before ?? 0) + points;
    if (before !== undefined || this.#counts.size < this.#keysMax) this.#counts.set(key, after);
    return { points: after, resetMs: (window + 1) * this.#windowMs - nowMs };
  }
}
