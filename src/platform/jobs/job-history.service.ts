import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../context.js';
import { dayOf, daysBefore, dropDaysBefore } from '../db/daily-partitions.js';
import { ensureJobRunPartitions } from './job-run.repository.js';
import { deleteFailedJobs, lockForOperator } from './job.repository.js';

/** How many days ahead partitions exist, so that a worker may be away for a while. */
const DAYS_AHEAD = 7;
const BATCH = 1_000;

/** Makes the partitions of the coming days. Safe at any time and from many processes: a lock serialises them. */
export async function maintainJobHistory(em: EntityManager, ctx: ActionContext): Promise<void> {
  await ensureJobRunPartitions(em, dayOf(ctx.clock.now()), DAYS_AHEAD);
}

/** Drops the runs past their retention, whole days at a time. Resolves to the partitions that went. */
export async function dropOldJobRuns(em: EntityManager, ctx: ActionContext): Promise<string[]> {
  const { historyRetentionDays } = ctx.settings.jobs;
  const firstKept = daysBefore(ctx.clock.now(), historyRetentionDays);
  return dropDaysBefore(em, { table: 'job_run', column: 'started_at', firstKept });
}

/** Takes jobs out of the queue that failed for good and have not been retried since. Resolves to how many. */
export async function forgetFailedJobs(em: EntityManager, ctx: ActionContext): Promise<number> {
  const before = daysBefore(ctx.clock.now(), ctx.settings.jobs.failedRetentionDays);
  let [all, deleted] = [0, BATCH];
  while (deleted === BATCH) {
    deleted = await em.transactional(async (tx) => {
      await lockForOperator(tx);
      return deleteFailedJobs(tx, before, BATCH);
    });
    all += deleted;
  }
  return all;
}
