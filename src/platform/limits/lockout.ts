interface Lock {
  readonly untilMs: number;
  readonly level: number;
}

const FIRST_MS = 30_000;
const LONGEST_MS = 30 * 60_000;
const FORGOTTEN_AFTER_MS = 60 * 60_000;
const ADDRESSES_MAX = 50_000;

/**
 * Who is locked out, and for how long.
 *
 * open   → locked   `lock`: 30 s, twice as long as the last time, up to 30 min
 * locked → open     its time has passed
 * open   → new      an hour without a lock: the next is 30 s again
 */
export class Lockout {
  readonly #locks = new Map<string, Lock>();

  /** 0 when it is open. */
  lockedMs(address: string, nowMs: number): number {
    const lock = this.#locks.get(address);
    return lock === undefined ? 0 : Math.max(lock.untilMs - nowMs, 0);
  }

  lock(address: string, nowMs: number): void {
    const last = this.#locks.get(address);
    if (last !== undefined && last.untilMs > nowMs) return;
    const isRecent = last !== undefined && nowMs - last.untilMs < FORGOTTEN_AFTER_MS;
    const level = isRecent ? last.level + 1 : 0;
    const untilMs = nowMs + Math.min(FIRST_MS * 2 ** level, LONGEST_MS);
    // Last in line again: the bound below forgets whoever was quiet for longest.
    this.#locks.delete(address);
    this.#locks.set(address, { untilMs, level });
    const [oldest] = this.#locks.keys();
    if (this.#locks.size > ADDRESSES_MAX && oldest !== undefined) this.#locks.delete(oldest);
  }
}
