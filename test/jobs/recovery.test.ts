import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { startWorker } from '../../jobs/worker.js';
import type { Worker } from '../../jobs/worker.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { closeAfterwards } from '../support/database.js';
import { until } from '../support/embedded-postgres-kit.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

beforeEach(async () => {
  await until(async () => (await runners()).length === 0);
  await app.sql('delete from session');
});

const runners = () =>
  app.sql<{ id: string; pid: number }>('select id, pid from job_runner order by started_at');
const jobs = () =>
  app.sql<{ locked_by: string | null; attempts: number }>(
    "select locked_by, attempts from graphile_worker.jobs where task_identifier = 'expire-sessions'",
  );

/** One that gives its signs of life so rarely that a test can make it silent. */
async function start(deadAfterSeconds = 3600): Promise<Worker & { readonly id: string }> {
  const { orm, ctx } = app;
  const known = new Set((await runners()).map(({ id }) => id));
  const config = { ...app.config, jobs: { ...app.config.jobs, deadAfterSeconds } };
  const worker = await startWorker({
    ...{ orm, direct: orm, config },
    clock: ctx.clock,
    log: ctx.log,
    metrics: ctx.metrics,
    scheduled: [],
  });
  closeAfterwards(() => worker.stop().catch(() => undefined));
  const own = async () => (await runners()).find(({ id }) => !known.has(id));
  await until(async () => (await own()) !== undefined);
  return { ...worker, id: (await own())?.id ?? '' };
}

/** Holds up whoever expires sessions, until it is let go. */
async function holdUpExpiry(): Promise<{ letGo(): Promise<void> }> {
  const client = new Client(app.databaseUrl);
  await client.connect();
  await client.query('begin');
  await client.query('lock table session in access exclusive mode');
  return { letGo: () => client.end() };
}

const expireSessions = (maxAttempts = 3) =>
  app.sql("select graphile_worker.add_job('expire-sessions', max_attempts => $1)", [maxAttempts]);
const isSilentFor = (id: string, seconds: number) =>
  app.sql('update job_runner set seen_at = now() - make_interval(secs => $2) where id = $1', [id, seconds]);
const DIED = /^The worker died during this run; it was last heard at .* \(process \d+ on .+\)$/;

/** What the history has of the runs that were lost with a worker. */
async function lostRuns(worker: string) {
  const { data } = await app.graphql(`{
    jobRuns { nodes { task attempt maxAttempts outcome worker payload error durationMs } }
  }`);
  const { nodes } = data.jobRuns as { nodes: { worker: string; error: string | null }[] };
  return nodes.filter((run) => run.worker === worker && DIED.test(run.error ?? ''));
}
const isLockedBy = async (id: string | null) => (await jobs()).some(({ locked_by }) => locked_by === id);

describe('a worker', () => {
  it('gives its sign of life before it takes a job, and takes it back when it stops', async () => {
    const held = await holdUpExpiry();
    await expireSessions();
    const worker = await start();
    expect(await runners()).toEqual([{ id: worker.id, pid: process.pid }]);
    await until(() => isLockedBy(worker.id));
    await held.letGo();
    await until(async () => (await jobs()).length === 0);
    await worker.stop();
    expect(await runners()).toEqual([]);
  });

  it('goes on giving it, by the clock of the database', async () => {
    const worker = await start(2);
    const seen = async () =>
      (await app.sql<{ at: Date }>('select seen_at as at from job_runner'))[0]?.at.getTime();
    const first = await seen();
    await until(async () => (await seen()) !== first);
    await worker.stop();
  });
});

describe('the jobs of a worker that is silent', () => {
  it('go to another, and what both of them do happens once', async () => {
    const { id: license } = await app.seed.license();
    await app.sql(
      `insert into session (token, license_id, identifier, ip, agent, ttl, last_seen, expires_at, created_at)
       select 'seat ' || n, $1, 'seat ' || n, '192.0.2.1', 'test', 600, $2, $2, $2 from generate_series(1, 1200) n`,
      [license, app.clock.now()],
    );
    const held = await holdUpExpiry();
    await expireSessions();
    const silent = await start();
    await until(() => isLockedBy(silent.id));
    await isSilentFor(silent.id, 31);
    const other = await start(30);
    await until(() => isLockedBy(other.id));
    expect(await jobs()).toEqual([{ locked_by: other.id, attempts: 2 }]);
    expect((await runners()).map(({ id }) => id)).toEqual([other.id]);
    expect(await lostRuns(silent.id)).toEqual([
      {
        ...{ task: 'expire-sessions', attempt: 1, maxAttempts: 3, outcome: 'retrying', worker: silent.id },
        ...{ payload: {}, error: expect.stringMatching(DIED) },
        durationMs: expect.any(Number),
      },
    ]);

    // It was only held up, and goes on as well.
    await held.letGo();
    await until(async () => (await jobs()).length === 0);
    await silent.stop();
    await other.stop();
    const expired = await app.sql<{ resource_id: string }>(
      "select resource_id from activity where event = 'session.expired'",
    );
    expect([expired.length, new Set(expired.map(({ resource_id }) => resource_id)).size]).toEqual([
      1200, 1200,
    ]);
  });

  it('stay its own until it has been silent for long enough', async () => {
    const held = await holdUpExpiry();
    await expireSessions();
    const quiet = await start();
    await until(() => isLockedBy(quiet.id));
    await isSilentFor(quiet.id, 25);
    const other = await start(30);
    expect(await isLockedBy(quiet.id)).toBe(true);
    expect(await lostRuns(quiet.id)).toEqual([]);
    expect(await runners()).toHaveLength(2);
    await held.letGo();
    await quiet.stop();
    await other.stop();
  });

  it('are not tried again after their last attempt: they may be what kills', async () => {
    const held = await holdUpExpiry();
    await expireSessions(1);
    const silent = await start();
    await until(() => isLockedBy(silent.id));
    await isSilentFor(silent.id, 31);
    const other = await start(30);
    await until(() => isLockedBy(null));
    expect(await lostRuns(silent.id)).toMatchObject([{ attempt: 1, maxAttempts: 1, outcome: 'failed' }]);
    const { data } = await app.graphql('{ jobs(filter: { state: failed }) { nodes { lastError } } }');
    expect(data.jobs.nodes).toEqual([{ lastError: expect.stringMatching(DIED) }]);
    await held.letGo();
    await silent.stop();
    await other.stop();
    expect((await jobs()).filter(({ attempts }) => attempts > 1)).toEqual([]);
  });
});
