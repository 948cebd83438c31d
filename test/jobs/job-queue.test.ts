import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { activityNamed } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { recordStatements } from '../support/statements.js';

// No worker runs here: what is in the queue stays as it is.
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

beforeEach(async () => {
  await app.sql('delete from graphile_worker._private_jobs');
});

interface Spec {
  readonly task?: string;
  readonly runAt?: string;
  readonly attempts?: number;
  readonly maxAttempts?: number;
  readonly lockedBy?: string;
  readonly lastError?: string;
}

/** A job as the queue would have it after some attempts. Resolves to its id. */
async function queued(spec: Spec = {}): Promise<number> {
  const { task = 'maintain-logs', runAt, attempts = 0, maxAttempts = 3, lockedBy, lastError } = spec;
  const [job] = await app.sql<{ id: string }>(
    `select id from graphile_worker.add_job($1, run_at => $2::timestamptz, max_attempts => $3)`,
    [task, runAt ?? null, maxAttempts],
  );
  await app.sql(
    `update graphile_worker._private_jobs set attempts = $2, locked_by = $3::text, last_error = $4,
            locked_at = case when $3::text is not null then now() end
      where id = $1`,
    [job?.id, attempts, lockedBy ?? null, lastError ?? null],
  );
  return Number(job?.id);
}

const FUTURE = '2999-01-01T00:00:00.000Z';
const states = () => ({
  waiting: () => queued(),
  scheduled: () => queued({ runAt: FUTURE }),
  running: () => queued({ attempts: 1, lockedBy: 'worker-1' }),
  failed: () => queued({ attempts: 3, lastError: 'no such thing' }),
});

const LIST = `query ($filter: JobFilterInput, $first: Int, $after: String) {
  jobs(filter: $filter, first: $first, after: $after) {
    totalCount nodes { id state task attempts maxAttempts lastError worker } pageInfo { hasNextPage endCursor }
  }
}`;

const CHANGE = `jobs { id state attempts maxAttempts priority runAt lastError } refused { id reason message }`;
const RETRY = `mutation ($ids: [SafeInt!]!) { change: retryJobs(ids: $ids) { ${CHANGE} } }`;
const CANCEL = `mutation ($ids: [SafeInt!]!, $reason: Name) { change: cancelJobs(ids: $ids, reason: $reason) { ${CHANGE} } }`;
const RESCHEDULE = `mutation ($ids: [SafeInt!]!, $runAt: DateTime, $priority: Int, $maxAttempts: Int) {
  change: rescheduleJobs(ids: $ids, runAt: $runAt, priority: $priority, maxAttempts: $maxAttempts) { ${CHANGE} }
}`;

describe('jobs', () => {
  it.each(['waiting', 'scheduled', 'running', 'failed'] as const)(
    'filter state %s finds just it',
    async (state) => {
      const made = states();
      const ids = { waiting: 0, scheduled: 0, running: 0, failed: 0 };
      for (const each of ['waiting', 'scheduled', 'running', 'failed'] as const)
        ids[each] = await made[each]();
      const { data } = await app.graphql(LIST, { filter: { state } });
      expect(data.jobs).toMatchObject({ totalCount: 1, nodes: [{ id: ids[state], state }] });
    },
  );

  it('shows a failed one with its error and attempts, secrets and keys masked', async () => {
    const secret = `lsk_abcdefgh_${'x'.repeat(43)}`;
    const id = await queued({
      attempts: 3,
      lastError: `license 97TF3-MV9H9-ZM4JF-S6333-2VBKC refused ${secret}`,
    });
    const { data } = await app.graphql(
      'query ($id: SafeInt!) { job(id: $id) { state attempts maxAttempts lastError } }',
      {
        id,
      },
    );
    expect(data.job).toEqual({
      state: 'failed',
      attempts: 3,
      maxAttempts: 3,
      lastError: 'license …-2VBKC refused lsk_abcdefgh_***',
    });
  });

  it('filters by task and ids, and pages through all of them', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 5; n++) ids.push(await queued({ task: 'expire-sessions' }));
    await queued();
    const seen: number[] = [];
    let after: string | null = null;
    do {
      const { data } = await app.graphql(LIST, { filter: { task: 'expire-sessions' }, first: 2, after });
      seen.push(...(data.jobs.nodes as { id: number }[]).map(({ id }) => id));
      after = data.jobs.pageInfo.hasNextPage ? data.jobs.pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen).toEqual(ids);
    const { data } = await app.graphql(LIST, { filter: { ids: ids.slice(1, 3) } });
    expect(data.jobs.nodes.map((job: { id: number }) => job.id)).toEqual(ids.slice(1, 3));
  });

  it.each([
    [{ first: 0 }, 'first'],
    [{ first: 501 }, 'first'],
    [{ after: 'nonsense' }, 'after'],
    [{ after: Buffer.from('["1; drop"]').toString('base64url') }, 'after'],
    [{ filter: { ids: [] } }, 'ids'],
  ])('%j INVALID_FIELD', async (variables, field) => {
    const { errors } = await app.graphql(LIST, variables);
    expect(errors[0]?.extensions).toMatchObject({
      code: 'INVALID_FIELD',
      errors: [{ pointer: `/${field}` }],
    });
  });

  it('costs as many statements for a page of jobs with their runs as for one', async () => {
    const recorder = await recordStatements(app.orm);
    const ask = () =>
      app.graphql('{ jobs(first: 100) { nodes { id runs { outcome } } pageInfo { hasNextPage } } }');
    await queued();
    const forOne = await recorder.during(ask);
    await app.sql(`select graphile_worker.add_job('maintain-logs') from generate_series(1, 99)`);
    expect((await recorder.during(ask)).length).toBe(forOne.length);
    expect(
      forOne.filter((text) => text.includes('graphile_worker.jobs') || text.includes('job_run')),
    ).toHaveLength(2);
  });

  it('JOB_NOT_FOUND for one that is not in the queue', async () => {
    const { errors } = await app.graphql('{ job(id: 999999) { id } }');
    expect(errors[0]).toMatchObject({
      message: 'There is no job "999999"',
      extensions: { code: 'JOB_NOT_FOUND' },
    });
  });
});

describe('retryJobs', () => {
  it('makes failed and scheduled ones due, with all attempts anew, and writes who did it', async () => {
    const failed = await queued({ attempts: 3, lastError: 'no' });
    const scheduled = await queued({ runAt: FUTURE, attempts: 1 });
    const { data } = await app.graphql(RETRY, { ids: [failed, scheduled] });
    expect(data.change).toMatchObject({
      jobs: [
        { id: failed, state: 'waiting', attempts: 0 },
        { id: scheduled, state: 'waiting', attempts: 0 },
      ],
      refused: [],
    });
    const entries = await activityNamed(app, 'job.retried');
    expect(entries.slice(-2)).toMatchObject([
      {
        ...{ actor: 'api_key:*', source: 'graphql', resource_type: 'job', resource_id: String(failed) },
        changes: { state: ['failed', 'waiting'], attempts: [3, 0] },
      },
      { resource_id: String(scheduled), changes: { state: ['scheduled', 'waiting'], attempts: [1, 0] } },
    ]);
  });

  it('leaves what is due already at its place', async () => {
    const id = await queued({ runAt: '2026-01-01T00:00:00.000Z', attempts: 1 });
    const { data } = await app.graphql(RETRY, { ids: [id] });
    expect(data.change.jobs).toMatchObject([{ id, attempts: 0, runAt: '2026-01-01T00:00:00.000Z' }]);
  });

  it('names those that run and those that are not there, and leaves them', async () => {
    const running = await queued({ attempts: 1, lockedBy: 'worker-1' });
    const { data } = await app.graphql(RETRY, { ids: [running, 424_242, running] });
    expect(data.change.jobs).toEqual([]);
    expect(data.change.refused).toEqual([
      {
        id: running,
        reason: 'running',
        message: expect.stringContaining("is running, and what runs can't be stopped"),
      },
      { id: 424_242, reason: 'unknown', message: expect.stringContaining('no job 424242 in the queue') },
    ]);
    expect(
      await app.sql('select attempts, locked_by from graphile_worker.jobs where id = $1', [running]),
    ).toEqual([{ attempts: 1, locked_by: 'worker-1' }]);
  });

  it.each([[[]], [Array.from({ length: 1001 }, (_, n) => n)]])(
    'INVALID_FIELD for none and for too many',
    async (ids) => {
      const { errors } = await app.graphql(RETRY, { ids });
      expect(errors[0]?.extensions).toMatchObject({ code: 'INVALID_FIELD', errors: [{ pointer: '/ids' }] });
    },
  );
});

describe('cancelJobs', () => {
  it('keeps what has not begun as failed, with who and why; retrying undoes it', async () => {
    const ids = [await queued(), await queued({ runAt: FUTURE })];
    const { data } = await app.graphql(CANCEL, { ids, reason: 'wrong customer' });
    expect(data.change.refused).toEqual([]);
    expect(data.change.jobs).toEqual(
      ids.map((id) =>
        expect.objectContaining({
          ...{ id, state: 'failed', attempts: 3 },
          lastError: 'Cancelled by api_key:*: wrong customer',
        }),
      ),
    );
    const entries = await activityNamed(app, 'job.cancelled');
    expect(entries.at(-1)?.changes).toMatchObject({ state: ['scheduled', 'failed'] });
    const undone = await app.graphql(RETRY, { ids });
    expect(undone.data.change.jobs.map((job: { state: string }) => job.state)).toEqual([
      'waiting',
      'waiting',
    ]);
  });

  it('refuses running ones, and keeps the error of failed ones', async () => {
    const running = await queued({ attempts: 1, lockedBy: 'worker-1' });
    const failed = await queued({ attempts: 3, lastError: 'the real reason' });
    const { data } = await app.graphql(CANCEL, { ids: [running, failed] });
    expect(data.change.jobs).toEqual([]);
    expect(data.change.refused).toMatchObject([
      { id: running, reason: 'running' },
      { id: failed, reason: 'failed' },
    ]);
    const { data: after } = await app.graphql(LIST, { filter: { ids: [failed] } });
    expect(after.jobs.nodes[0].lastError).toBe('the real reason');
  });
});

describe('rescheduleJobs', () => {
  it('changes what is given, and nothing else', async () => {
    const id = await queued();
    const { data } = await app.graphql(RESCHEDULE, { ids: [id], runAt: FUTURE, priority: -5 });
    expect(data.change.jobs).toMatchObject([
      { id, state: 'scheduled', runAt: FUTURE, priority: -5, maxAttempts: 3 },
    ]);
    const second = await app.graphql(RESCHEDULE, { ids: [id], priority: 0 });
    expect(second.data.change.jobs).toMatchObject([{ id, runAt: FUTURE, priority: 0 }]);
    const [entry] = (await activityNamed(app, 'job.rescheduled')).slice(-1);
    expect(entry?.changes).toEqual({ priority: [-5, 0] });
  });

  it('more attempts bring a failed one back', async () => {
    const id = await queued({ attempts: 3 });
    const { data } = await app.graphql(RESCHEDULE, { ids: [id], maxAttempts: 4 });
    expect(data.change.jobs).toMatchObject([{ id, state: 'waiting', attempts: 3, maxAttempts: 4 }]);
  });

  it.each([
    [{}, 'runAt'],
    [{ priority: 40_000 }, 'priority'],
    [{ maxAttempts: 0 }, 'maxAttempts'],
  ])('%j INVALID_FIELD', async (request, field) => {
    const { errors } = await app.graphql(RESCHEDULE, { ids: [await queued()], ...request });
    expect(errors[0]?.extensions).toMatchObject({
      code: 'INVALID_FIELD',
      errors: [{ pointer: `/${field}` }],
    });
  });
});

describe('many at once', () => {
  it('each job is changed once, or refused: 5 who cancel what 5 others retry', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 20; n++) ids.push(await queued({ runAt: FUTURE }));
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => app.graphql(n % 2 === 0 ? CANCEL : RETRY, { ids })),
    );
    expect(answers.flatMap(({ errors }) => errors)).toEqual([]);
    for (const { data } of answers) {
      const { jobs, refused } = data.change as { jobs: { id: number }[]; refused: { id: number }[] };
      expect([...jobs, ...refused].map(({ id }) => id).sort((a, b) => a - b)).toEqual(ids);
    }
  });
});
