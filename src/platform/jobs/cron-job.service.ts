import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../context.js';
import { NotFound } from '../errors.js';
import { emitEvents } from '../events/emit.js';
import { findCronRow, findCronRows, replaceCronRows } from './cron-job.repository.js';
import type { CronJobRow } from './cron-job.repository.js';
import { findLastRuns } from './job-run.repository.js';
import type { JobRun } from './job-run.js';
import type { JobEvent } from './job.events.js';
import { addJob, notifyJobChanges } from './job.repository.js';
import { getJob } from './job.service.js';
import type { Job } from './job.js';
import { nextRun } from './next-run.js';

/** A job on a schedule, as the worker that started last has it. */
export interface CronJob extends CronJobRow {
  readonly nextRunAt: Date | null;
  /** Its newest run, however it was asked for. */
  readonly lastRun: JobRun | null;
}

/** Writes down what this worker runs on a schedule, for those who only look. */
export async function registerCronJobs(
  em: EntityManager,
  ctx: Pick<ActionContext, 'clock'>,
  rows: readonly CronJobRow[],
): Promise<void> {
  await replaceCronRows(em, rows, ctx.clock.now());
}

/** By name; none before the first worker has started. */
export async function listCronJobs(em: EntityManager, ctx: ActionContext): Promise<CronJob[]> {
  const rows = await findCronRows(em);
  const runs = await findLastRuns(
    em,
    rows.map(({ task }) => task),
  );
  const lastRuns = new Map(runs.map((run) => [run.task, run]));
  const now = ctx.clock.now();
  return rows.map((row) => ({
    ...row,
    nextRunAt: nextRun(row.schedule, now),
    lastRun: lastRuns.get(row.task) ?? null,
  }));
}

/** Adds the job, due now, beside its schedule. Throws `CRON_JOB_NOT_FOUND` for a task that has none. */
export async function runCronJobNow(em: EntityManager, ctx: ActionContext, task: string): Promise<Job> {
  const row = await findCronRow(em, task);
  if (!row) throw new NotFound('cron job', task);
  const job = await getJob(em, await addJob(em, task, row.maxAttempts));
  const event: JobEvent = 'job.requested';
  await emitEvents(em, ctx, event, [
    { resource: { type: 'job', id: String(job.id) }, changes: { task: [null, task] } },
  ]);
  await notifyJobChanges(em, 'requested', [job]);
  return job;
}
