import type { ParsedCronItem } from 'graphile-worker';
import { parseCronItems } from 'graphile-worker';
import type { TaskName } from './task.js';

interface CronRow {
  readonly task: TaskName;
  /** Minute, hour, day, month, weekday; UTC. */
  readonly match: string;
}

/** What runs on a schedule. A run that was missed while no worker was up is not made up for: the next one catches up. */
const CRONTAB: readonly CronRow[] = [
  { task: 'expire-sessions', match: '* * * * *' },
  { task: 'add-up-counts', match: '*/5 * * * *' },
  { task: 'purge-idempotency-keys', match: '7 * * * *' },
  { task: 'maintain-logs', match: '23 */6 * * *' },
];

export function cronItems(): ParsedCronItem[] {
  return parseCronItems(CRONTAB.map(({ task, match }) => ({ task, match, options: { maxAttempts: 3 } })));
}
