import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { maskText } from './job-mask.js';
import type { Job, JobState } from './job.js';

/*
 * The queue's public view and functions, and nothing beneath them. The time is the database's, which is what the queue
 * itself goes by.
 */

export interface JobQuery {
  readonly state?: JobState | null | undefined;
  readonly task?: string | null | undefined;
  readonly queue?: string | null | undefined;
  readonly key?: string | null | undefined;
  readonly ids?: readonly number[] | null | undefined;
}

export interface Rescheduling {
  readonly runAt?: Date | null | undefined;
  readonly priority?: number | null | undefined;
  readonly attempts?: number | null | undefined;
  readonly maxAttempts?: number | null | undefined;
}

/** What comes as text: big numbers, and instants. */
type AsText = 'id' | 'runAt' | 'createdAt' | 'updatedAt';
type Row = Omit<Job, AsText | 'lockedAt'> &
  Readonly<Record<AsText, string>> & { readonly lockedAt: string | null };

export const JOB_STATE = sql<JobState>`
  case when locked_at is not null then 'running' when attempts >= max_attempts then 'failed'
       when run_at > now() then 'scheduled' else 'waiting' end`;

const COLUMNS = sql`id, task_identifier as task, ${JOB_STATE} as state, queue_name as queue, key, priority,
  run_at as "runAt", attempts, max_attempts as "maxAttempts", last_error as "lastError", created_at as "createdAt",
  updated_at as "updatedAt", locked_at as "lockedAt", locked_by as worker`;

/** Jobs with an id above `after`, oldest first. */
export async function findJobs(
  em: EntityManager,
  query: JobQuery,
  { after, limit }: { readonly after?: number | undefined; readonly limit: number },
): Promise<Job[]> {
  const place = after === undefined ? sql<boolean>`true` : sql<boolean>`id > ${after}`;
  const { rows } = await sql<Row>`
    select ${COLUMNS} from graphile_worker.jobs where ${conditions(query)} and ${place}
     order by id limit ${limit}`.execute(em.getKysely());
  return rows.map(toJob);
}

export async function countJobs(em: EntityManager, query: JobQuery): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) as count from graphile_worker.jobs where ${conditions(query)}`.execute(em.getKysely());
  return Number(rows[0]?.count ?? 0);
}

/** One operator at a time, until the transaction ends: what one saw, another must not have changed meanwhile. */
export async function lockForOperator(em: EntityManager): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('job operator'))`.execute(em.getKysely());
}

/** Changes those of the jobs that don't run; what is absent stays. Resolves to the ids that were changed. */
export async function rescheduleQueued(
  em: EntityManager,
  ids: readonly number[],
  { runAt, priority, attempts, maxAttempts }: Rescheduling,
): Promise<number[]> {
  const { rows } = await sql<{ id: string }>`
    select id from graphile_worker.reschedule_jobs(
      ${ids}::bigint[], run_at => ${runAt ?? null}::timestamptz, priority => ${priority ?? null}::integer,
      attempts => ${attempts ?? null}::integer, max_attempts => ${maxAttempts ?? null}::integer)`.execute(
    em.getKysely(),
  );
  return rows.map(({ id }) => Number(id));
}

/** Makes those of the jobs that don't run due now, with all their attempts anew. Resolves to their ids. */
export async function restartQueued(em: EntityManager, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: string }>`
    select id from graphile_worker.reschedule_jobs(${ids}::bigint[], run_at => now(), attempts => 0)`.execute(
    em.getKysely(),
  );
  return rows.map(({ id }) => Number(id));
}

/** Gives those of the jobs that don't run up for good, but keeps them. Resolves to their ids. */
export async function failQueued(
  em: EntityManager,
  ids: readonly number[],
  reason: string,
): Promise<number[]> {
  const { rows } = await sql<{ id: string }>`
    select id from graphile_worker.permanently_fail_jobs(${ids}::bigint[], ${reason})`.execute(
    em.getKysely(),
  );
  return rows.map(({ id }) => Number(id));
}

/**
 * Takes up to `limit` jobs out of the queue that had failed for good before `before`; resolves to how many. Wants
 * {@link lockForOperator}, or one that is being retried may go too.
 */
export async function deleteFailedJobs(em: EntityManager, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from graphile_worker.complete_jobs(array(
      select id from graphile_worker.jobs
       where ${JOB_STATE} = 'failed' and greatest(run_at, updated_at) < ${before} limit ${limit}))`.execute(
    em.getKysely(),
  );
  return rows[0]?.count ?? 0;
}

/** Adds a job without payload that is due now. Resolves to its id. */
export async function addJob(em: EntityManager, task: string, maxAttempts: number): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select id from graphile_worker.add_job(${task}, max_attempts => ${maxAttempts})`.execute(em.getKysely());
  return Number(rows[0]?.id);
}

/** Tells those who watch, when the transaction commits. */
export async function notifyJobChanges(
  em: EntityManager,
  change: string,
  jobs: readonly Pick<Job, 'id' | 'task'>[],
): Promise<void> {
  const changes = jobs.map(({ id, task }) => ({ change, jobId: id, task }));
  await sql`select notify_job_changes(${JSON.stringify(changes)}::jsonb) where jobs_are_watched()`.execute(
    em.getKysely(),
  );
}

function conditions({ state, task, queue, key, ids }: JobQuery): RawBuilder<boolean> {
  const all: RawBuilder<boolean>[] = [sql<boolean>`true`];
  if (state != null) all.push(sql`${JOB_STATE} = ${state}`);
  if (task != null) all.push(sql`task_identifier = ${task}`);
  if (queue != null) all.push(sql`queue_name = ${queue}`);
  if (key != null) all.push(sql`key = ${key}`);
  if (ids != null) all.push(sql`id = any(${ids}::bigint[])`);
  return sql.join(all, sql` and `);
}

function toJob(row: Row): Job {
  return {
    ...row,
    id: Number(row.id),
    key: row.key === null ? null : maskText(row.key),
    lastError: row.lastError === null ? null : maskText(row.lastError),
    runAt: new Date(row.runAt),
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
    lockedAt: row.lockedAt === null ? null : new Date(row.lockedAt),
  };
}
