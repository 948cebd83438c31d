import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../context.js';
import { InvalidField } from '../errors.js';
import { queueDepths, recentRuns } from './job-stats.repository.js';
import type { Percentiles, QueueDepth, RecentRuns } from './job-stats.repository.js';

const MINUTE_MS = 60_000;
const MINUTES_DEFAULT = 15;
const MINUTES_MAX = 24 * 60;

/** How things stand with one task: what is in the queue now, and what ran in the last minutes. */
export interface JobStats extends QueueDepth, Omit<RecentRuns, 'duration' | 'wait'> {
  /** Runs that ended, whatever the outcome. */
  readonly runsPerMinute: number;
  /** Null when nothing ran. */
  readonly durationMs: Percentiles | null;
  readonly waitMs: Percentiles | null;
}

/** Every task that is in the queue or ran in the last `minutes` (1–1440; 15 when absent), by name. */
export async function jobStats(
  em: EntityManager,
  ctx: ActionContext,
  minutes: number = MINUTES_DEFAULT,
): Promise<JobStats[]> {
  if (minutes < 1 || minutes > MINUTES_MAX) {
    throw new InvalidField('minutes', `must be between 1 and ${MINUTES_MAX}; got ${minutes}`);
  }
  const depths = new Map((await queueDepths(em)).map((row) => [row.task, row]));
  const from = new Date(ctx.clock.now().getTime() - minutes * MINUTE_MS);
  const runs = new Map((await recentRuns(em, from)).map((row) => [row.task, row]));
  const tasks = [...new Set([...depths.keys(), ...runs.keys()])].sort();
  return tasks.map((task) => {
    const { duration, wait, ...counts } = runs.get(task) ?? { ...NO_RUNS, task };
    return {
      ...(depths.get(task) ?? { ...NO_JOBS, task }),
      ...counts,
      runsPerMinute: (counts.succeeded + counts.retrying + counts.failedRuns) / minutes,
      durationMs: duration,
      waitMs: wait,
    };
  });
}

const NO_JOBS = { waiting: 0, scheduled: 0, running: 0, failed: 0, oldestWaitingSeconds: null };
const NO_RUNS = { succeeded: 0, retrying: 0, failedRuns: 0, duration: null, wait: null };
