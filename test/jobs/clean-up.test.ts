import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { runTasks, startTestWorker } from '../support/worker.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await startTestWorker(app);
});

const HOUR = 3_600_000;

describe('purge-idempotency-keys', () => {
  it('forgets responses after 24 hours, and none before', async () => {
    const post = (key: string, name: string) =>
      app.rest('POST', '/products', { name }, { headers: { 'idempotency-key': key } });
    const kept = async () =>
      (await app.sql<{ key: string }>('select key from idempotency_key')).map(({ key }) => key);
    await post('old', 'Old');
    app.clock.advance(HOUR);
    await post('young', 'Young');
    app.clock.advance(23 * HOUR - 1);
    await runTasks(app, 'purge-idempotency-keys');
    expect((await kept()).sort()).toEqual(['old', 'young']);
    app.clock.advance(1);
    await runTasks(app, 'purge-idempotency-keys');
    expect(await kept()).toEqual(['young']);
    expect((await post('young', 'Young')).headers['idempotency-replayed']).toBe('true');
  });
});

describe('maintain-logs', () => {
  it('makes the partitions of the coming days, and again changes nothing', async () => {
    app.clock.set('2030-02-26T23:30:00.000Z');
    const names = async () => {
      const rows = await app.sql<{ name: string }>(
        "select relname as name from pg_class where relispartition and relname ~ '_2030[0-9]{4}$' order by 1",
      );
      return rows.map(({ name }) => name).filter((name) => /^(activity|request_log)_/.test(name));
    };
    await runTasks(app, 'maintain-logs');
    const made = await names();
    const days = ['0226', '0227', '0228', '0301', '0302'];
    for (const log of ['activity', 'request_log'])
      expect(made).toEqual(expect.arrayContaining(days.map((day) => `${log}_2030${day}`)));
    await runTasks(app, 'maintain-logs', 'maintain-logs');
    expect(await names()).toEqual(made);
  });

  it("a day's rows stand in its own partition", async () => {
    app.clock.set('2030-02-28T23:59:59.999Z');
    const response = await app.rest('POST', '/products', { name: 'Partitioned' });
    const rows = await app.sql(
      'select tableoid::regclass::text as name from activity where request_id = $1',
      [response.headers['x-request-id']],
    );
    expect(rows).toEqual([{ name: 'activity_20300228' }]);
  });
});
