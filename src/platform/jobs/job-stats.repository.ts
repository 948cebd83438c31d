import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { JOB_STATE } from './job.repository.js';

/** What is in the queue of one task. */
export interface QueueDepth {
  readonly task: string;
  readonly waiting: number;
  readonly scheduled: number;
  readonly running: number;
  readonly failed: number;
  /** For how long the oldest waiting job has been due. */
  readonly oldestWaitingSeconds: number | null;
}

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** What ran of one task. Percentiles, in milliseconds, are of the newest runs alone where there are too many. */
export interface RecentRuns {
  readonly task: string;
  readonly succeeded: number;
  readonly retrying: number;
  readonly failedRuns: number;
  readonly duration: Percentiles | null;
  readonly wait: Percentiles | null;
}

/** So many runs of a task tell its percentiles well enough; sorting millions would not tell more. */
const PERCENTILE_RUNS = 10_000;

/** The queue by task. */
export async function queueDepths(em: EntityManager): Promise<QueueDepth[]> {
  const { rows } = await sql<QueueDepth>`
    select task, count(*) filter (where state = 'waiting')::integer as waiting,
           count(*) filter (where state = 'scheduled')::integer as scheduled,
           count(*) filter (where state = 'running')::integer as running,
           count(*) filter (where state = 'failed')::integer as failed,
           extract(epoch from now() - min(run_at) filter (where state = 'waiting'))::float8 as "oldestWaitingSeconds"
      from (select task_identifier as task, run_at, ${JOB_STATE} as state from graphile_worker.jobs) job
     group by task order by task`.execute(em.getKysely());
  return rows;
}

interface Row {
  readonly task: string;
  readonly succeeded: number;
  readonly retrying: number;
  readonly failed: number;
  readonly durations: number[] | null;
  readonly waits: number[] | null;
}

/** The runs that began since `from`, by task. */
export async function recentRuns(em: EntityManager, from: Date): Promise<RecentRuns[]> {
  const { rows } = await sql<Row>`
    with counted as (
      select task, count(*) filter (where outcome = 'succeeded')::integer as succeeded,
             count(*) filter (where outcome = 'retrying')::integer as retrying,
             count(*) filter (where outcome = 'failed')::integer as failed
        from job_run where started_at >= ${from} group by task
    )
    select counted.*, measured.*
      from counted cross join lateral (
        select percentile_cont(array[0.5, 0.95, 0.99]) within group (order by duration) as durations,
               percentile_cont(array[0.5, 0.95, 0.99]) within group (order by wait) as waits
          from (select duration_ms::float8 as duration,
                       greatest(extract(epoch from started_at - due_at) * 1000, 0)::float8 as wait
                  from job_run where task = counted.task and started_at >= ${from}
                 order by id desc limit ${PERCENTILE_RUNS}) newest
      ) measured`.execute(em.getKysely());
  return rows.map(({ durations, waits, failed, ...counts }) => ({
    ...counts,
    failedRuns: failed,
    duration: percentiles(durations),
    wait: percentiles(waits),
  }));
}

function percentiles(values: number[] | null): Percentiles | null {
  if (!values) return null;
  const [p50 = 0, p95 = 0, p99 = 0] = values;
  return { p50, p95, p99 };
}
