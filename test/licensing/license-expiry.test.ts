import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { masked } from '../support/whitelists.js';
import { runTasks, startTestWorker } from '../support/worker.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await startTestWorker(app);
});

const [MINUTE, DAY] = [60_000, 86_400_000];
const fromNow = (ms: number) => new Date(app.clock.now().getTime() + ms).toISOString();
const expiring = (ms: number, fields = {}) => app.seed.license({ ...fields, expires_at: fromNow(ms) });
const run = (...more: string[]) => runTasks(app, 'announce-expiries', ...more);

/** What was announced of a license's expiry so far. */
async function announced(key: string): Promise<string[]> {
  const rows = await app.sql<{ event: string }>(
    "select event from activity where event in ('license.expiring', 'license.expired') and resource_id = $1 order by id",
    [masked(key)],
  );
  return rows.map(({ event }) => event.replace('license.', ''));
}

describe('announce-expiries', () => {
  it('license.expiring 3 days ahead and license.expired at the moment, each once', async () => {
    const { key } = await expiring(4 * DAY);
    app.clock.advance(DAY - 1);
    await run();
    expect(await announced(key)).toEqual([]);
    app.clock.advance(1);
    await run();
    await run();
    expect(await announced(key)).toEqual(['expiring']);
    app.clock.advance(3 * DAY - 1);
    await run();
    expect(await announced(key)).toEqual(['expiring']);
    app.clock.advance(1);
    await run();
    await run();
    expect(await announced(key)).toEqual(['expiring', 'expired']);
    const [entry] = await app.sql(
      "select * from activity where event = 'license.expired' and resource_id = $1",
      [masked(key)],
    );
    expect(entry).toMatchObject({ actor: 'worker', source: 'job', resource_type: 'license', changes: null });
  });

  it('a new date starts over: renewed before its end, and after it', async () => {
    const { key } = await expiring(2 * DAY);
    await run();
    await app.rest('PATCH', '/licenses', { key, expires_at: fromNow(5 * DAY) });
    await run();
    app.clock.advance(2 * DAY);
    await run();
    expect(await announced(key)).toEqual(['expiring', 'expiring']);
    app.clock.advance(3 * DAY);
    await run();
    await app.rest('PATCH', '/licenses', { key, expires_at: fromNow(MINUTE) });
    app.clock.advance(MINUTE);
    await run();
    // No worker ran in its last minute: what is over is not about to end.
    expect(await announced(key)).toEqual(['expiring', 'expiring', 'expired', 'expired']);
  });

  it('the same date again, or another change, announces nothing anew', async () => {
    const { key, expires_at } = await expiring(DAY);
    await run();
    await app.rest('PATCH', '/licenses', { key, expires_at, note: 'seen' });
    await run();
    expect(await announced(key)).toEqual(['expiring']);
  });

  it('none for a license that never expires, is made so, or is created expired', async () => {
    const never = await app.seed.license();
    const created = await expiring(-MINUTE);
    const cleared = await expiring(MINUTE);
    await app.rest('PATCH', '/licenses', { key: cleared.key, expires_at: null });
    app.clock.advance(DAY);
    await run();
    for (const { key } of [never, created, cleared]) expect(await announced(key)).toEqual([]);
  });

  it('license.expired for a license that is ended by a date in the past', async () => {
    const { key } = await expiring(30 * DAY);
    await app.rest('PATCH', '/licenses', { key, expires_at: '2020-01-01' });
    await run();
    expect(await announced(key)).toEqual(['expired']);
  });

  it('a suspended license when it is reinstated, a revoked one not at all', async () => {
    const suspended = await expiring(DAY, { status: 'suspended' });
    const revoked = await expiring(DAY, { status: 'revoked' });
    app.clock.advance(2 * DAY);
    await run();
    expect(await announced(suspended.key)).toEqual([]);
    await app.rest('PATCH', '/licenses', { key: suspended.key, status: 'active' });
    await run();
    expect(await announced(suspended.key)).toEqual(['expired']);
    expect(await announced(revoked.key)).toEqual([]);
  });

  it('catches up on what no worker was there for, on two workers, each once', async () => {
    const other = await startApp({ databaseUrl: app.databaseUrl });
    await startTestWorker({ ...other, ctx: { ...other.ctx, clock: app.clock } });
    await app.sql("delete from activity where event in ('license.expiring', 'license.expired')");
    const { data } = await app.graphql(
      'mutation ($input: CreateLicensesInput!) { createLicenses(input: $input) { count } }',
      { input: { count: 1000, template: { expiresAt: fromNow(DAY) } } },
    );
    expect(data.createLicenses.count).toBe(1000);
    await run(...Array.from({ length: 5 }, () => 'announce-expiries'));
    app.clock.advance(7 * DAY);
    await run(...Array.from({ length: 5 }, () => 'announce-expiries'));
    // What is logged of a key is its end, which two of so many may share: as often here as there, then.
    const ends = await app.sql<{ id: string }>(
      `select '…' || right(key, 6) as id from license order by created_at desc, license.id desc limit 1000`,
    );
    const all = ends.map(({ id }) => id).sort();
    for (const event of ['license.expiring', 'license.expired']) {
      const told = await app.sql<{ resource_id: string }>(
        'select resource_id from activity where event = $1',
        [event],
      );
      expect([event, told.map(({ resource_id: id }) => id).sort()]).toEqual([event, all]);
    }
  });

  it('reads what is due and nothing else', async () => {
    await app.sql('analyze license');
    const plan = await app.sql<{ 'QUERY PLAN': string }>(
      `explain select id from license where status = 'active' and expiry_notice_at <= $1
        order by expiry_notice_at limit 200 for no key update skip locked`,
      [app.clock.now()],
    );
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('license_expiry_notice_idx');
  });
});
