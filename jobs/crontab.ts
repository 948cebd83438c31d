import type { ParsedCronItem } from 'graphile-worker';
import { parseCronItems } from 'graphile-worker';
import type { CronJobRow } from '../src/platform/jobs/cron-job.repository.js';
import type { TaskName } from './task.js';

interface CronRow {
  readonly task: TaskName;
  /** Minute, hour, day, month, weekday; UTC. */
  readonly match: string;
}

/** What runs on a schedule. A run that was missed while no worker was up is not made up for: the next one catches up. */
const CRONTAB: readonly CronRow[] = [
  { task: 'expire-sessions', match: '* * * * *' },
  { task: 'expire-downloads', match: '* * * * *' },
  { task: 'announce-expiries', match: '* * * * *' },
  { task: 'add-up-counts', match: '*/5 * * * *' },
  { task: 'refresh-releases', match: '*/5 * * * *' },
  { task: 'prune-bot-log', match: '*/10 * * * *' },
  { task: 'purge-rate-limits', match: '*/10 * * * *' },
  { task: 'purge-idempotency-keys', match: '7 * * * *' },
  { task: 'maintain-logs', match: '23 */6 * * *' },
  { task: 'maintain-jobs', match: '41 * * * *' },
  { task: 'forget-deliveries', match: '53 * * * *' },
];

const MAX_ATTEMPTS = 3;

export function cronItems(): ParsedCronItem[] {
  return parseCronItems(
    CRONTAB.map(({ task, match }) => ({ task, match, options: { maxAttempts: MAX_ATTEMPTS } })),
  );
}

/** The same, for people. */
export function cronRows(): CronJobRow[] {
  return CRONTAB.map(({ task, match }) => ({ task, schedule: match, maxAttempts: MAX_ATTEMPTS }));
}
