import type { Clock } from '../../src/platform/clock.js';

/** A clock that stands still until it is told otherwise. */
export interface FakeClock extends Clock {
  set(date: Date | string): void;
  advance(ms: number): void;
}

export function fakeClock(start: Date | string): FakeClock {
  let time = new Date(start).getTime();
  return {
    // A new Date each time: whoever changes one changes nobody else's.
    now: () => new Date(time),
    set(date) {
      time = new Date(date).getTime();
    },
    advance(ms) {
      time += ms;
    },
  };
}
