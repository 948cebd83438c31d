import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { until } from '../support/embedded-postgres-kit.js';
import { ROADS, byWebsocket, untilLive } from '../support/subscriptions.js';
import { startTestWorker } from '../support/worker.js';

let app: TestApp;
/** A gateway that runs no jobs. */
let other: TestApp;

beforeAll(async () => {
  app = await startApp();
  other = await startApp({ databaseUrl: app.databaseUrl });
  await startTestWorker(app);
});

const QUERY = `subscription ($task: Name) {
  jobChanged(task: $task) { change jobId task run { outcome error attempt } job { state } }
}`;

async function enqueue(task: string, runAt: string | null = null): Promise<number> {
  const [job] = await app.sql<{ id: string }>(
    'select id from graphile_worker.add_job($1, run_at => $2::timestamptz, max_attempts => 2)',
    [task, runAt],
  );
  return Number(job?.id);
}

describe('jobChanged', () => {
  it.each(ROADS)('tells by %s, on another gateway, how runs of a task end', async (_, by) => {
    const subscription = by(other, other.apiKey, { query: QUERY, variables: { task: 'maintain-logs' } });
    await untilLive(app, 'job:maintain-logs');
    await enqueue('purge-idempotency-keys');
    const ids = [await enqueue('maintain-logs'), await enqueue('maintain-logs')];
    await until(() => subscription.results.length === 2);
    const told = subscription.results.map(({ data }) => data.jobChanged as { jobId: number });
    expect(told.map(({ jobId }) => jobId).sort((a, b) => a - b)).toEqual(ids);
    for (const each of told) {
      expect(each).toMatchObject({
        ...{ change: 'succeeded', task: 'maintain-logs' },
        run: { outcome: 'succeeded', error: null, attempt: 1 },
      });
    }
    subscription.stop();
  });

  it('tells of all jobs a run that failed, and what operators do', async () => {
    const subscription = byWebsocket(other, other.apiKey, { query: QUERY });
    await untilLive(app, 'job');
    const scheduled = await enqueue('maintain-logs', '2999-01-01T00:00:00Z');
    await app.graphql(
      `mutation ($ids: [SafeInt!]!) {
        rescheduleJobs(ids: $ids, priority: 3) { jobs { id } }
        cancelJobs(ids: $ids) { jobs { id } }
      }`,
      { ids: [scheduled] },
    );
    await app.sql('alter table license_count rename to license_count_away');
    const failing = await enqueue('add-up-counts');
    await until(() => subscription.results.length >= 3);
    await app.sql('alter table license_count_away rename to license_count');
    const told = subscription.results.map(({ data }) => data.jobChanged as object);
    expect(told.slice(0, 3)).toEqual([
      // What the job is now, which may have changed again.
      {
        ...{ change: 'rescheduled', jobId: scheduled, task: 'maintain-logs', run: null },
        job: { state: expect.stringMatching(/^(scheduled|failed)$/) },
      },
      { change: 'cancelled', jobId: scheduled, task: 'maintain-logs', run: null, job: { state: 'failed' } },
      {
        ...{ change: 'retrying', jobId: failing, task: 'add-up-counts', job: { state: expect.any(String) } },
        run: { outcome: 'retrying', error: expect.stringContaining('license_count'), attempt: 1 },
      },
    ]);
    subscription.stop();
  });

  it('tells each of a hundred that end at once', async () => {
    const subscription = byWebsocket(other, other.apiKey, {
      query: QUERY,
      variables: { task: 'expire-sessions' },
    });
    await untilLive(app, 'job:expire-sessions');
    const rows = await app.sql<{ id: string }>(
      `select (graphile_worker.add_job('expire-sessions')).id from generate_series(1, 100)`,
    );
    await until(() => subscription.results.length >= 100);
    const told = subscription.results.map(({ data }) => data.jobChanged.jobId as number);
    expect(told.sort((a, b) => a - b)).toEqual(rows.map(({ id }) => Number(id)));
    subscription.stop();
  });

  it('INSUFFICIENT_SCOPE without jobs:read', async () => {
    const issued = await app.graphql(
      'mutation { createApiKey(input: { name: "x", scopes: ["licensing:read"] }) { plain } }',
    );
    const subscription = byWebsocket(other, issued.data.createApiKey.plain as string, { query: QUERY });
    await subscription.ended;
    const said = JSON.stringify([subscription.end(), subscription.results]);
    expect(said).toContain('INSUFFICIENT_SCOPE');
  });
});
