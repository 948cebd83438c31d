import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { FinishedRun } from './job-run.js';
import { failQueued } from './job.repository.js';

/** A job runner that was silent for too long. */
export interface DeadRunner {
  /** What its jobs are locked by. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly seenAt: Date;
}

/** What is known of a run without its worker; instants as text. */
interface Row {
  readonly id: string;
  readonly task: string;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly queuedAt: string;
  readonly dueAt: string;
  readonly startedAt: string;
}

/**
 * Frees the jobs of a dead runner for the others, and gives the runs that were lost with it as they stand in the
 * history. A job whose last attempt that was keeps the reason as its error. In a transaction, whose locks keep the jobs
 * to themselves until the runs are written. By the queue's public view and functions, as in job.repository.ts.
 */
export async function freeJobsOf(em: EntityManager, runner: DeadRunner): Promise<FinishedRun[]> {
  const db = em.getKysely();
  const { rows } = await sql<Row>`
    select id, task_identifier as task, attempts, max_attempts as "maxAttempts", created_at as "queuedAt",
           run_at as "dueAt", locked_at as "startedAt"
      from graphile_worker.jobs where locked_by = ${runner.id}`.execute(db);
  // Also with no job in sight: a queue may be locked without one.
  await sql`select graphile_worker.force_unlock_workers(${[runner.id]}::text[])`.execute(db);
  const payloads = await payloadsOf(
    em,
    rows.map(({ id }) => id),
  );
  const error = `The worker died during this run; it was last heard at ${runner.seenAt.toISOString()} (process ${runner.pid} on ${runner.host})`;
  const runs = rows
    .filter(({ id }) => payloads.has(id))
    .map((row): FinishedRun => {
      const startedAt = new Date(row.startedAt);
      return {
        ...{ jobId: row.id, task: row.task, payload: payloads.get(row.id), error, worker: runner.id },
        ...{ attempt: row.attempts, maxAttempts: row.maxAttempts },
        outcome: row.attempts < row.maxAttempts ? 'retrying' : 'failed',
        ...{ queuedAt: new Date(row.queuedAt), dueAt: new Date(row.dueAt), startedAt },
        // For so long it is known to have run.
        durationMs: Math.max(runner.seenAt.getTime() - startedAt.getTime(), 0),
      };
    });
  const failed = runs.filter(({ outcome }) => outcome === 'failed').map(({ jobId }) => Number(jobId));
  if (failed.length > 0) await failQueued(em, failed, error);
  return runs;
}

/**
 * The payloads of jobs that don't run, by id; the public view lacks them. One that its runner has ended in the last
 * moment is absent: that run was not lost.
 */
async function payloadsOf(em: EntityManager, ids: readonly string[]): Promise<Map<string, unknown>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; payload: unknown }>`
    select id, payload from graphile_worker.reschedule_jobs(${ids}::bigint[])`.execute(em.getKysely());
  return new Map(rows.map(({ id, payload }) => [id, payload]));
}
