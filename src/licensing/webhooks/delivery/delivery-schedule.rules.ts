/** What decides when a delivery that failed is tried again. */
export interface FailedAttempt {
  /** How many attempts there were, this one included. */
  readonly attempts: number;
  /** The waits before each attempt, in seconds; as many attempts as there are waits. */
  readonly scheduleSeconds: readonly number[];
  /** What the receiver asked for, if it did. */
  readonly retryAfterSeconds: number | undefined;
  readonly now: Date;
  /** Uniform in [0, 1). */
  readonly random: number;
}

/** ±20 %, so that what failed together doesn't come back together. */
const JITTER = 0.2;
/** A receiver may ask for time, but not for all of it. */
const RETRY_AFTER_SECONDS_MAX = 86_400;

/** When the next attempt is due; undefined when all are used up. */
export function nextAttemptAt(failed: FailedAttempt): Date | undefined {
  const { attempts, scheduleSeconds, retryAfterSeconds = 0, now, random } = failed;
  const wait = scheduleSeconds[attempts];
  if (wait === undefined) return undefined;
  const jittered = wait * (1 - JITTER + 2 * JITTER * random);
  const seconds = Math.max(jittered, Math.min(retryAfterSeconds, RETRY_AFTER_SECONDS_MAX));
  return new Date(now.getTime() + Math.round(seconds * 1000));
}

/** The header `Retry-After`, as seconds from now; undefined when there is none that can be read. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  // Without a name of a day or month, what Date.parse reads is no date of HTTP's.
  const at = /[A-Za-z]{3}/.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now.getTime()) / 1000);
}
