import type { Cooldown } from './command-access.rules.js';

export interface Taken {
  /** The uses that still count, oldest first, in ms since the epoch. */
  readonly uses: readonly number[];
  /** 0: taken. Otherwise how long until the next one is free. */
  readonly waitMs: number;
}

/** Takes one use at `nowMs`, when fewer than `uses` lie within the `seconds` before it. */
export function takeUse(earlier: readonly number[], { seconds, uses }: Cooldown, nowMs: number): Taken {
  const windowMs = seconds * 1000;
  // One from the future counts as now: the clock was set back, and nobody should wait for it to catch up.
  const counting = earlier.map((at) => Math.min(at, nowMs)).filter((at) => at > nowMs - windowMs);
  // A lowered limit leaves more than fit: the one to wait for is the last that keeps it full.
  const blocking = counting.at(-uses);
  if (blocking !== undefined) return { uses: counting, waitMs: blocking + windowMs - nowMs };
  return { uses: [...counting, nowMs], waitMs: 0 };
}
