import { beforeAll, describe, expect, it } from '@jest/globals';
import { JobRunRecorder } from '../../../src/platform/jobs/job-run-recorder.service.js';
import type { FinishedRun } from '../../../src/platform/jobs/job-run.js';
import { createMetrics } from '../../../src/platform/metrics.js';
import { startApp } from '../../support/app.js';
import type { TestApp } from '../../support/app.js';
import { licensingEntities } from '../../../src/licensing/entities.js';
import { createOrm } from '../../../src/platform/db/orm.js';
import { closeAfterwards, query } from '../../support/database.js';
import { createUnsteadyDatabase } from '../../support/unsteady-database.js';
import { logLines } from '../../support/log-lines.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

describe('JobRunRecorder', () => {
  const finished = (run: Partial<FinishedRun>): FinishedRun => ({
    ...{
      jobId: '1',
      task: 'flood',
      payload: {},
      attempt: 1,
      maxAttempts: 1,
      outcome: 'succeeded',
      worker: 'w',
    },
    ...{ queuedAt: app.clock.now(), dueAt: app.clock.now(), startedAt: app.clock.now(), durationMs: 1 },
    ...run,
  });

  function recorder(orm = app.orm) {
    const lines = logLines();
    const metrics = createMetrics();
    const runs = new JobRunRecorder({ orm, log: lines.log, metrics });
    const dropped = async () => (await metrics.jobRunsDropped.get()).values.map(({ value }) => value);
    return { runs, lines, dropped };
  }

  it('when it can not keep up, leaves out successes, counted, and never a failure', async () => {
    const { runs, dropped } = recorder();
    for (let n = 0; n < 50_100; n++) runs.add(finished({ task: 'flood' }));
    for (let n = 0; n < 100; n++) runs.add(finished({ task: 'flood', outcome: 'failed', error: 'no' }));
    await runs.close();
    const [count] = await app.sql<{ succeeded: number; failed: number }>(
      `select count(*) filter (where outcome = 'succeeded')::integer as succeeded,
              count(*) filter (where outcome = 'failed')::integer as failed from job_run where task = 'flood'`,
    );
    expect(count?.failed).toBe(100);
    expect([(count?.succeeded ?? 0) + ((await dropped())[0] ?? 0)]).toEqual([50_100]);
  });

  it('writes what is hard to store: U+0000, half surrogates, quotes, and a long error cut', async () => {
    const { runs } = recorder();
    runs.add(
      finished({
        task: 'odd',
        payload: { text: 'a\u0000b', half: '\ud800', quote: `"'\\` },
        ...{ outcome: 'failed', error: `\u0000\ud800 "quoted" \\ ${'x'.repeat(5000)}` },
      }),
    );
    runs.add(finished({ task: 'odd', payload: { big: 'x'.repeat(5000) } }));
    await runs.close();
    const { data } = await app.graphql(`{ jobRuns(filter: { task: "odd" }) { nodes { payload error } } }`);
    const [big, odd] = data.jobRuns.nodes as { payload: unknown; error: string }[];
    expect(big?.payload).toBeNull();
    expect(odd?.payload).toEqual({ text: 'a\u0000b', half: expect.anything(), quote: `"'\\` });
    expect([odd?.error.length, odd?.error.slice(0, 13)]).toEqual([1000, '\ufffd\ufffd "quoted" \\']);
  });

  it('a row that the database refuses is logged and counted, and takes no other with it', async () => {
    const { runs, lines, dropped } = recorder();
    for (let n = 0; n < 20; n++) {
      runs.add(finished({ task: 'halves', jobId: n === 7 ? 'not a number' : String(n) }));
    }
    await runs.close();
    const rows = await app.sql<{ job_id: string }>(
      `select job_id from job_run where task = 'halves' order by job_id`,
    );
    expect(rows.map(({ job_id }) => Number(job_id))).toEqual(
      Array.from({ length: 20 }, (_, n) => n).filter((n) => n !== 7),
    );
    expect(lines.at('error')).toMatchObject([{ jobId: 'not a number', task: 'halves' }]);
    expect(await dropped()).toEqual([1]);
  });

  it('keeps what it has while the database is away, and writes it once it is back', async () => {
    const database = await createUnsteadyDatabase();
    const orm = createOrm({
      url: database.url,
      poolMax: 2,
      entities: licensingEntities,
      migrations: [],
      log: logLines().log,
    });
    closeAfterwards(() => orm.close(true));
    const { runs, lines, dropped } = recorder(orm);
    await database.goAway();
    for (let n = 0; n < 3; n++) runs.add(finished({ task: 'outage', jobId: String(n) }));
    await runs.flush();
    expect(lines.at('warn')).toMatchObject([{ waiting: 3 }]);
    await database.comeBack();
    await runs.close();
    const rows = await query<{ job_id: string }>(
      database.directUrl,
      'select job_id from job_run order by job_id',
    );
    expect(rows.map(({ job_id }) => job_id)).toEqual(['0', '1', '2']);
    expect(await dropped()).toEqual([0]);
  });
});
