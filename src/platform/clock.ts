/** What time it is. Passed along instead of asked for, so that a test can say what time it is. */
export interface Clock {
  now(): Date;
}

/** The real time, and the only place that makes a date of it. */
export const systemClock: Clock = { now: () => new Date() };
