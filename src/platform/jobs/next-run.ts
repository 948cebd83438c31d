import { parseCronItem } from 'graphile-worker';

const MINUTE_MS = 60_000;
const MINUTES_AHEAD_MAX = 366 * 24 * 60;

/**
 * When a schedule (minute, hour, day, month, weekday; UTC) comes next, after a moment; null if not within 366 days.
 * Asks the queue's own matcher minute by minute, so that the answer is what will happen.
 */
export function nextRun(schedule: string, after: Date): Date | null {
  const { match } = parseCronItem({ task: 'any', match: schedule });
  const first = Math.floor(after.getTime() / MINUTE_MS) + 1;
  for (let minute = first; minute < first + MINUTES_AHEAD_MAX; minute++) {
    const at = new Date(minute * MINUTE_MS);
    const digest = {
      min: at.getUTCMinutes(),
      hour: at.getUTCHours(),
      date: at.getUTCDate(),
      month: at.getUTCMonth() + 1,
      dow: at.getUTCDay(),
    };
    if (match(digest)) return at;
  }
  return null;
}
