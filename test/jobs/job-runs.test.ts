import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { activityNamed } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { until } from '../support/embedded-postgres-kit.js';
import { graphqlClient } from '../support/graphql.js';
import { startTestWorker } from '../support/worker.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await startTestWorker(app);
});

const RUNS = `query ($filter: JobRunFilterInput, $first: Int, $after: String) {
  jobRuns(filter: $filter, first: $first, after: $after) {
    totalCount pageInfo { hasNextPage endCursor }
    nodes { id jobId task payload attempt maxAttempts outcome error worker queuedAt dueAt startedAt waitMs durationMs }
  }
}`;
const JOB = `query ($id: SafeInt!) { job(id: $id) { state attempts lastError runs { attempt outcome error } } }`;
const RETRY = `mutation ($ids: [SafeInt!]!) { retryJobs(ids: $ids) { jobs { id } refused { message } } }`;

async function enqueue(task: string, payload: object = {}, maxAttempts = 3): Promise<number> {
  const [job] = await app.sql<{ id: string }>(
    `select id from graphile_worker.add_job($1, payload => $2, max_attempts => $3)`,
    [task, JSON.stringify(payload), maxAttempts],
  );
  return Number(job?.id);
}

/** Waits until the history has so many runs of the job, and gives them, newest first. */
async function runsOf(jobId: number, count: number) {
  let nodes: Record<string, unknown>[] = [];
  await until(async () => {
    const { data } = await app.graphql(RUNS, { filter: { jobId } });
    ({ nodes } = data.jobRuns);
    return nodes.length >= count;
  });
  return nodes;
}

describe('the history of jobs', () => {
  it('has a run that succeeded, with its worker, times and masked payload', async () => {
    const id = await enqueue('purge-idempotency-keys', {
      userId: 7,
      token: 'very secret',
      licenseKey: 'MY-OWN-KEY-12345',
      code: '97TF3-MV9H9-ZM4JF-S6333',
    });
    const [run, ...others] = await runsOf(id, 1);
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      ...{
        jobId: id,
        task: 'purge-idempotency-keys',
        attempt: 1,
        maxAttempts: 3,
        outcome: 'succeeded',
        error: null,
      },
      payload: { userId: 7, token: '***', licenseKey: '…-12345', code: '…-S6333' },
      worker: expect.stringMatching(/./),
      startedAt: app.clock.now().toISOString(),
      durationMs: expect.any(Number),
    });
  });

  it('shows a failing job with its error and attempts, and retryJobs makes it run', async () => {
    await app.sql('alter table license_count rename to license_count_away');
    const id = await enqueue('add-up-counts', {}, 1);
    const [failed] = await runsOf(id, 1);
    expect(failed).toMatchObject({ outcome: 'failed', error: expect.stringContaining('license_count') });
    await until(async () => (await app.graphql(JOB, { id })).data.job.state === 'failed');
    const { data } = await app.graphql(JOB, { id });
    expect(data.job).toMatchObject({
      ...{ state: 'failed', attempts: 1, lastError: failed?.['error'] },
      runs: [{ attempt: 1, outcome: 'failed', error: failed?.['error'] }],
    });

    await app.sql('alter table license_count_away rename to license_count');
    const retried = await app.graphql(RETRY, { ids: [id] });
    expect(retried.data.retryJobs).toEqual({ jobs: [{ id }], refused: [] });
    const [newest] = await runsOf(id, 2);
    expect(newest).toMatchObject({ attempt: 1, outcome: 'succeeded', error: null });
    const gone = await app.graphql(JOB, { id });
    expect(gone.errors[0]?.extensions['code']).toBe('JOB_NOT_FOUND');
  });

  it('tells a run that will be repeated from the last one', async () => {
    await app.sql('alter table license_count rename to license_count_away');
    const id = await enqueue('add-up-counts', {}, 2);
    await runsOf(id, 1);
    await until(async () => (await app.graphql(JOB, { id })).data.job.state === 'scheduled');
    // The second attempt would be due in seconds; nobody waits for that.
    await app.sql('update graphile_worker._private_jobs set run_at = now() where id = $1', [id]);
    const runs = await runsOf(id, 2);
    await app.sql('alter table license_count_away rename to license_count');
    expect(runs.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [2, 'failed'],
      [1, 'retrying'],
    ]);
  });

  it('a running job is shown as such, and can be neither retried nor cancelled', async () => {
    const holder = new Client(app.databaseUrl);
    await holder.connect();
    await holder.query('begin');
    await holder.query('lock table license_count in access exclusive mode');
    const id = await enqueue('add-up-counts');
    await until(async () => (await app.graphql(JOB, { id })).data.job.state === 'running');
    const { data } = await app.graphql(
      `mutation ($ids: [SafeInt!]!) {
        retryJobs(ids: $ids) { jobs { id } refused { reason } }
        cancelJobs(ids: $ids) { jobs { id } refused { reason message } }
      }`,
      { ids: [id] },
    );
    await holder.query('rollback');
    await holder.end();
    expect(data).toMatchObject({
      retryJobs: { jobs: [], refused: [{ reason: 'running' }] },
      cancelJobs: {
        jobs: [],
        refused: [{ reason: 'running', message: expect.stringContaining('wait for it to end') }],
      },
    });
    expect(await runsOf(id, 1)).toMatchObject([{ outcome: 'succeeded' }]);
  });

  it('pages through runs, newest first, by task and outcome', async () => {
    const ids = [
      await enqueue('maintain-logs'),
      await enqueue('maintain-logs'),
      await enqueue('maintain-logs'),
    ];
    for (const id of ids) await runsOf(id, 1);
    const filter = { task: 'maintain-logs', outcome: 'succeeded' };
    const first = await app.graphql(RUNS, { filter, first: 2 });
    const { endCursor } = first.data.jobRuns.pageInfo;
    const second = await app.graphql(RUNS, { filter, first: 2, after: endCursor });
    const seen = [...first.data.jobRuns.nodes, ...second.data.jobRuns.nodes] as {
      id: number;
      jobId: number;
    }[];
    expect(first.data.jobRuns.totalCount).toBe(3);
    expect(seen.map(({ id }) => id)).toEqual(seen.map(({ id }) => id).sort((a, b) => b - a));
    expect(new Set(seen.map(({ jobId }) => jobId))).toEqual(new Set(ids));
  });
});

describe('jobStats', () => {
  it('counts the queue and the runs of the last minutes, with percentiles', async () => {
    await app.sql(`select graphile_worker.add_job('maintain-logs', run_at => '2999-01-01')`);
    await app.sql(
      `insert into job_run (job_id, task, attempt, max_attempts, outcome, worker, queued_at, due_at, started_at, duration_ms)
       select 1000000 + n, 'counted', 1, 1, case when n = 100 then 'failed' else 'succeeded' end, 'w', at, at - n * interval '1 second',
              at, n from generate_series(1, 100) n, (select $1::timestamptz as at) now`,
      [new Date(app.clock.now().getTime() - 60_000)],
    );
    await app.sql(
      `insert into job_run (job_id, task, attempt, max_attempts, outcome, worker, queued_at, due_at, started_at, duration_ms)
       values (1000000, 'counted', 1, 2, 'retrying', 'w', $1, $1, $1, 1000)`,
      [new Date(app.clock.now().getTime() - 20 * 60_000)],
    );
    const { data } = await app.graphql(`{ jobStats(minutes: 10) {
      task waiting scheduled running failed oldestWaitingSeconds succeeded retrying failedRuns runsPerMinute
      durationMs { p50 p95 p99 } waitMs { p50 p95 p99 }
    } }`);
    const of = (task: string) => data.jobStats.find((row: { task: string }) => row.task === task) as object;
    expect(of('counted')).toEqual({
      ...{ task: 'counted', waiting: 0, scheduled: 0, running: 0, failed: 0, oldestWaitingSeconds: null },
      ...{ succeeded: 99, retrying: 0, failedRuns: 1, runsPerMinute: 10 },
      durationMs: { p50: 50.5, p95: 95.05, p99: 99.01 },
      waitMs: { p50: 50_500, p95: 95_050, p99: 99_010 },
    });
    expect(of('maintain-logs')).toMatchObject({ scheduled: 1, failed: 0, waiting: 0 });
  });

  it.each([0, 1441])('INVALID_FIELD for %i minutes', async (minutes) => {
    const { errors } = await app.graphql('query ($minutes: Int) { jobStats(minutes: $minutes) { task } }', {
      minutes,
    });
    expect(errors[0]?.extensions).toMatchObject({ code: 'INVALID_FIELD', errors: [{ pointer: '/minutes' }] });
  });
});

describe('cronJobs', () => {
  it('tells the schedule, the next run by the clock, and the last one', async () => {
    const id = await enqueue('purge-idempotency-keys');
    await runsOf(id, 1);
    app.clock.set('2026-01-15T12:06:30.000Z');
    const { data } = await app.graphql(
      '{ cronJobs { task schedule maxAttempts nextRunAt lastRun { jobId outcome } } }',
    );
    const of = (task: string) => data.cronJobs.find((row: { task: string }) => row.task === task) as object;
    expect(of('purge-idempotency-keys')).toEqual({
      ...{ task: 'purge-idempotency-keys', schedule: '7 * * * *', maxAttempts: 3 },
      nextRunAt: '2026-01-15T12:07:00.000Z',
      lastRun: { jobId: id, outcome: 'succeeded' },
    });
  });

  it('runCronJobNow adds the job, and it runs; the activity log has it', async () => {
    const { data } = await app.graphql(
      'mutation { runCronJobNow(task: "maintain-jobs") { id task maxAttempts } }',
    );
    expect(data.runCronJobNow).toMatchObject({ task: 'maintain-jobs', maxAttempts: 3 });
    const { id } = data.runCronJobNow as { id: number };
    expect(await runsOf(id, 1)).toMatchObject([{ task: 'maintain-jobs', outcome: 'succeeded' }]);
    expect((await activityNamed(app, 'job.requested')).at(-1)).toMatchObject({
      ...{ resource_type: 'job', resource_id: String(id), changes: { task: [null, 'maintain-jobs'] } },
    });
  });

  it('CRON_JOB_NOT_FOUND for what has no schedule', async () => {
    const { errors } = await app.graphql('mutation { runCronJobNow(task: "rm -rf") { id } }');
    expect(errors[0]?.extensions['code']).toBe('CRON_JOB_NOT_FOUND');
  });
});

describe('maintain-jobs', () => {
  /** A job that failed for good at a time; never due, so that the worker doesn't take it meanwhile. */
  async function givenUp(at: string): Promise<number> {
    const [job] = await app.sql<{ id: string }>(
      `select id from graphile_worker.add_job('expire-sessions', run_at => '2999-01-01', max_attempts => 1)`,
    );
    await app.sql(
      `update graphile_worker._private_jobs set attempts = 1, run_at = $2, updated_at = $2 where id = $1`,
      [job?.id, at],
    );
    return Number(job?.id);
  }

  it('drops the days past their retention, and failed jobs nobody has retried', async () => {
    await app.sql(`select ensure_job_run_partitions('2026-01-01'::date, 2)`);
    const old = await givenUp('2025-12-01T00:00:00Z');
    const young = await givenUp('2026-01-10T00:00:00Z');
    await app.sql(
      `insert into job_run (job_id, task, attempt, max_attempts, outcome, worker, queued_at, due_at, started_at, duration_ms)
       select 1000000, 'aged', 1, 1, 'succeeded', 'w', at, at, at, 1
         from unnest(array['2026-01-01T10:00Z', '2025-12-24T10:00Z', '2026-01-14T10:00Z']::timestamptz[]) at`,
    );
    const { data } = await app.graphql('mutation { runCronJobNow(task: "maintain-jobs") { id } }');
    const [run] = await runsOf(data.runCronJobNow.id as number, 1);
    expect(run).toMatchObject({ outcome: 'succeeded' });
    expect((await app.graphql(RUNS, { filter: { task: 'aged' } })).data.jobRuns.totalCount).toBe(1);
    const left = await app.sql<{ id: string }>(`select id from graphile_worker.jobs where id = any($1)`, [
      [old, young],
    ]);
    expect(left).toEqual([{ id: String(young) }]);
  });
});

describe('access', () => {
  const READS = [
    '{ jobs { nodes { id } } }',
    '{ jobRuns { nodes { id } } }',
    '{ jobStats { task } }',
    '{ cronJobs { task } }',
  ];
  const WRITES = ['retryJobs(ids: [1]) { jobs { id } }', 'cancelJobs(ids: [1]) { jobs { id } }'];

  async function codeOf(scope: string, query: string): Promise<unknown> {
    const issued = await app.graphql(
      `mutation ($scope: String!) { createApiKey(input: { name: "x", scopes: [$scope] }) { plain } }`,
      { scope },
    );
    const { errors } = await graphqlClient(app.url, issued.data.createApiKey.plain as string)(query);
    return errors[0]?.extensions['code'];
  }

  it.each(READS)('%s wants jobs:read', async (query) => {
    expect(await codeOf('jobs:read', query)).toBeUndefined();
    expect(await codeOf('licensing:read', query)).toBe('INSUFFICIENT_SCOPE');
    expect((await graphqlClient(app.url, undefined)(query)).errors[0]?.extensions['code']).toBe(
      'API_KEY_MISSING',
    );
  });

  it.each(WRITES)('%s wants jobs:write', async (mutation) => {
    expect(await codeOf('jobs:write', `mutation { ${mutation} }`)).toBeUndefined();
    expect(await codeOf('jobs:read', `mutation { ${mutation} }`)).toBe('INSUFFICIENT_SCOPE');
  });
});
