import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { maskText, maskPayload } from './job-mask.js';
import type { FinishedRun, JobOutcome, JobRun } from './job-run.js';

export interface JobRunQuery {
  readonly jobId?: number | null | undefined;
  readonly task?: string | null | undefined;
  readonly outcome?: JobOutcome | null | undefined;
  readonly from?: Date | null | undefined;
  /** Exclusive. */
  readonly to?: Date | null | undefined;
}

/** What comes as text: big numbers, and instants. */
type AsText = 'id' | 'jobId' | 'queuedAt' | 'dueAt' | 'startedAt';
type Row = Omit<JobRun, AsText> & Readonly<Record<AsText, string>>;

const COLUMNS = sql`id, job_id as "jobId", task, payload, attempt, max_attempts as "maxAttempts", outcome, error, worker,
  queued_at as "queuedAt", due_at as "dueAt", started_at as "startedAt", duration_ms as "durationMs",
  greatest(extract(epoch from started_at - due_at) * 1000, 0)::float8 as "waitMs"`;

/** Runs with an id below `before`, newest first. */
export async function findJobRuns(
  em: EntityManager,
  query: JobRunQuery,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<JobRun[]> {
  const place = before === undefined ? sql<boolean>`true` : sql<boolean>`id < ${before}`;
  const { rows } = await sql<Row>`
    select ${COLUMNS} from job_run where ${conditions(query)} and ${place}
     order by id desc limit ${limit}`.execute(em.getKysely());
  return rows.map(toRun);
}

export async function countJobRuns(em: EntityManager, query: JobRunQuery): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) as count from job_run where ${conditions(query)}`.execute(em.getKysely());
  return Number(rows[0]?.count ?? 0);
}

export async function findJobRunsById(em: EntityManager, ids: readonly number[]): Promise<JobRun[]> {
  const { rows } = await sql<Row>`select ${COLUMNS} from job_run where id = any(${ids})`.execute(
    em.getKysely(),
  );
  return rows.map(toRun);
}

/** The newest runs of each job, newest first; at most `limit` of one job. */
export async function findJobRunsOf(
  em: EntityManager,
  jobIds: readonly number[],
  limit: number,
): Promise<JobRun[]> {
  const { rows } = await sql<Row>`
    select run.* from unnest(${jobIds}::bigint[]) asked (id)
     cross join lateral (select ${COLUMNS} from job_run where job_id = asked.id order by job_run.id desc limit ${limit}) run
     order by run.id desc`.execute(em.getKysely());
  return rows.map(toRun);
}

/** The newest run of each task. */
export async function findLastRuns(em: EntityManager, tasks: readonly string[]): Promise<JobRun[]> {
  const { rows } = await sql<Row>`
    select run.* from unnest(${tasks}::text[]) asked (task)
     cross join lateral (select ${COLUMNS} from job_run where job_run.task = asked.task order by id desc limit 1) run
  `.execute(em.getKysely());
  return rows.map(toRun);
}

/** Writes finished runs, masked, in one statement; tells whoever watches. */
export async function insertJobRuns(em: EntityManager, runs: readonly FinishedRun[]): Promise<void> {
  const all = <T>(of: (run: FinishedRun) => T) => runs.map(of);
  await sql`
    with written as (
      insert into job_run (job_id, task, payload, attempt, max_attempts, outcome, error, worker, queued_at, due_at,
                           started_at, duration_ms)
      select * from unnest(
        ${all((run) => run.jobId)}::bigint[], ${all((run) => run.task)}::text[],
        ${all((run) => maskPayload(run.payload))}::json[], ${all((run) => run.attempt)}::smallint[],
        ${all((run) => run.maxAttempts)}::smallint[], ${all((run) => run.outcome)}::text[],
        ${all((run) => (run.error === undefined ? null : maskText(run.error)))}::text[],
        ${all((run) => run.worker)}::text[], ${all((run) => run.queuedAt)}::timestamptz[],
        ${all((run) => run.dueAt)}::timestamptz[], ${all((run) => run.startedAt)}::timestamptz[],
        ${all((run) => run.durationMs)}::real[])
      returning id, job_id, task, outcome
    )
    select notify_job_changes((
      select jsonb_agg(jsonb_build_object('change', outcome, 'jobId', job_id, 'task', task, 'runId', id)) from written))
     where jobs_are_watched()`.execute(em.getKysely());
}

/** Makes the partitions of the days from `firstDay` on (`2026-01-15`, UTC), where they are missing. */
export async function ensureJobRunPartitions(
  em: EntityManager,
  firstDay: string,
  days: number,
): Promise<void> {
  await sql`select ensure_job_run_partitions(${firstDay}::date, ${days}::integer)`.execute(em.getKysely());
}

function conditions({ jobId, task, outcome, from, to }: JobRunQuery): RawBuilder<boolean> {
  const all: RawBuilder<boolean>[] = [sql<boolean>`true`];
  if (jobId != null) all.push(sql`job_id = ${jobId}`);
  if (task != null) all.push(sql`task = ${task}`);
  if (outcome != null) all.push(sql`outcome = ${outcome}`);
  // What the index of those that did not succeed says, so that the planner may use it.
  if (outcome != null && outcome !== 'succeeded') all.push(sql`outcome <> 'succeeded'`);
  if (from != null) all.push(sql`started_at >= ${from}`);
  if (to != null) all.push(sql`started_at < ${to}`);
  return sql.join(all, sql` and `);
}

function toRun(row: Row): JobRun {
  return {
    ...row,
    id: Number(row.id),
    jobId: Number(row.jobId),
    queuedAt: new Date(row.queuedAt),
    dueAt: new Date(row.dueAt),
    startedAt: new Date(row.startedAt),
  };
}
