import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { maskKey } from '../../src/licensing/licenses/license-key.rules.js';
import { activityNamed, activityText } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { runTasks, startTestWorker } from '../support/worker.js';
import { until } from '../support/embedded-postgres-kit.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await startTestWorker(app);
});

beforeEach(async () => {
  await app.sql('truncate session');
  await app.sql("delete from activity where event = 'session.expired'");
});

/** Sessions of a license whose time ends at the clock's now plus some seconds. */
async function sessions(licenseId: number, count: number, endsInSeconds: number) {
  const now = app.clock.now();
  await app.sql(
    `insert into session (token, license_id, identifier, ip, agent, ttl, last_seen, expires_at, created_at)
     select $1 || n, $2, $1 || n, '192.0.2.1', 'test', 600, $3, $4, $3 from generate_series(1, $5) n`,
    [`seat ${endsInSeconds}/`, licenseId, now, new Date(now.getTime() + endsInSeconds * 1000), count],
  );
}

async function identifiersLeft(): Promise<string[]> {
  const rows = await app.sql<{ identifier: string }>('select identifier from session order by token');
  return rows.map(({ identifier }) => identifier);
}

describe('expire-sessions', () => {
  it('removes what has ended, in batches, and announces session.expired once for each', async () => {
    const { key, id } = await app.seed.license();
    await sessions(id, 1200, 0);
    await sessions(id, 1, 1);
    await runTasks(app, 'expire-sessions');
    expect(await identifiersLeft()).toEqual(['seat 1/1']);
    const entries = await activityNamed(app, 'session.expired');
    expect(new Set(entries.map(({ resource_id }) => resource_id)).size).toBe(1200);
    expect(entries).toHaveLength(1200);
    expect(entries[0]).toMatchObject({
      actor: 'worker',
      source: 'job',
      resource_type: 'session',
      request_id: null,
    });
    expect(await activityText(app)).not.toContain(key);
  });

  it('run twice, announces nothing anew', async () => {
    const { id } = await app.seed.license();
    await sessions(id, 20, 0);
    await runTasks(app, 'expire-sessions');
    await runTasks(app, 'expire-sessions');
    expect(await activityNamed(app, 'session.expired')).toHaveLength(20);
  });

  it('on two workers at once, announces each once', async () => {
    const other = await startApp({ databaseUrl: app.databaseUrl });
    await startTestWorker({ ...other, ctx: { ...other.ctx, clock: app.clock } });
    const { id } = await app.seed.license();
    await sessions(id, 1200, 0);
    await runTasks(app, ...Array.from({ length: 8 }, () => 'expire-sessions'));
    const entries = await activityNamed(app, 'session.expired');
    expect([entries.length, new Set(entries.map(({ resource_id }) => resource_id)).size]).toEqual([
      1200, 1200,
    ]);
    expect(await identifiersLeft()).toEqual([]);
  });

  it('leaves what was opened anew meanwhile: a token that was handed out exists, and what had expired is announced once', async () => {
    const { key, id } = await app.seed.license();
    const identifiers = Array.from({ length: 40 }, (_, n) => `machine ${n}`);
    const validateAll = async () => {
      const responses = await Promise.all(
        identifiers.map((identifier) =>
          app.anonymous('POST', '/licenses/validate', { license_key: key, identifier }),
        ),
      );
      return responses.map(({ body }) => body.session.token as string);
    };
    await validateAll();
    app.clock.advance(600_000);
    const [tokens] = await Promise.all([
      validateAll(),
      runTasks(app, 'expire-sessions', 'expire-sessions', 'expire-sessions'),
    ]);
    await runTasks(app, 'expire-sessions');
    const rows = await app.sql<{ token: string }>('select token from session where license_id = $1', [id]);
    expect(rows.map(({ token }) => token).sort()).toEqual(tokens.sort());
    const entries = await activityNamed(app, 'session.expired');
    expect(entries.map(({ resource_id }) => resource_id).sort()).toEqual(identifiers.sort());
  });

  it.each([
    ['seats', 2],
    ['any number of seats', -1],
  ])(
    'a license with %s: a session that is opened anew before the job comes by had expired',
    async (_, seats) => {
      const { key } = await app.seed.license({ seats });
      const validate = async () => {
        const { body } = await app.anonymous('POST', '/licenses/validate', {
          license_key: key,
          identifier: 'pc',
        });
        return body.session.token as string;
      };
      const [first, renewed] = [await validate(), await validate()];
      expect(renewed).toBe(first);
      expect(await activityNamed(app, 'session.expired')).toEqual([]);
      app.clock.advance(600_000);
      const second = await validate();
      expect(second).not.toBe(first);
      const expired = {
        ...{ event: 'session.expired', actor: 'worker', source: 'job', request_id: null },
        ...{ resource_type: 'session', resource_id: 'pc', changes: { license: [maskKey(key), null] } },
      };
      expect(await activityNamed(app, 'session.expired')).toEqual([expired]);
      await runTasks(app, 'expire-sessions');
      expect(await activityNamed(app, 'session.expired')).toEqual([expired]);
      app.clock.advance(600_000);
      await runTasks(app, 'expire-sessions');
      expect(await activityNamed(app, 'session.expired')).toEqual([expired, expired]);
    },
  );

  it('looks at a renewed session once it is due, and removes it at the end it has by then', async () => {
    const { key, id } = await app.seed.license();
    const validate = () =>
      app.anonymous('POST', '/licenses/validate', { license_key: key, identifier: 'renewed' });
    const dueIn = async () => {
      const [row] = await app.sql<{ due: Date }>(
        'select expiry_due_at as due from session where license_id = $1',
        [id],
      );
      return row === undefined ? undefined : (row.due.getTime() - app.clock.now().getTime()) / 1000;
    };
    const { body } = await validate();
    app.clock.advance(400_000);
    await validate();
    await app.anonymous('POST', '/sessions/heartbeat', { token: body.session.token });
    expect(await dueIn()).toBe(200);
    app.clock.advance(200_000);
    await runTasks(app, 'expire-sessions');
    expect(await dueIn()).toBe(400);
    app.clock.advance(399_000);
    await runTasks(app, 'expire-sessions');
    expect([await dueIn(), await activityNamed(app, 'session.expired')]).toEqual([1, []]);
    app.clock.advance(1_000);
    await runTasks(app, 'expire-sessions');
    expect(await dueIn()).toBeUndefined();
    expect(await activityNamed(app, 'session.expired')).toMatchObject([{ resource_id: 'renewed' }]);
  });

  it('does not wait for the end that a session had before its product made sessions shorter', async () => {
    const { name } = await app.seed.product({ session_ttl: 86_400 });
    const { key } = await app.seed.license({ product: name });
    const validate = () =>
      app.anonymous('POST', '/licenses/validate', { license_key: key, identifier: 'shorter' });
    await validate();
    await app.rest('PATCH', '/products', { name, session_ttl: 60 });
    await validate();
    app.clock.advance(60_000);
    await runTasks(app, 'expire-sessions');
    expect(await activityNamed(app, 'session.expired')).toMatchObject([{ resource_id: 'shorter' }]);
  });

  it('renewals touch no index', async () => {
    const { key } = await app.seed.license();
    const heapOnly = async () => {
      const [row] = await app.sql<{ count: number }>(
        "select n_tup_hot_upd::integer as count from pg_stat_user_tables where relname = 'session'",
      );
      return row?.count ?? 0;
    };
    const before = await heapOnly();
    await until(async () => {
      await app.anonymous('POST', '/licenses/validate', { license_key: key, identifier: 'again' });
      return (await heapOnly()) > before;
    });
  });

  it('a session that had expired when its license was deleted is announced as expired', async () => {
    const { key } = await app.seed.license();
    await app.anonymous('POST', '/licenses/validate', { license_key: key, identifier: 'left behind' });
    app.clock.advance(600_000);
    await app.rest('DELETE', '/licenses', { key });
    await runTasks(app, 'expire-sessions');
    expect(await activityNamed(app, 'session.expired')).toMatchObject([{ resource_id: 'left behind' }]);
  });

  it('announces the session of a deleted license without it', async () => {
    await sessions(2_000_000_000, 1, 0);
    await runTasks(app, 'expire-sessions');
    expect(await activityNamed(app, 'session.expired')).toMatchObject([{ resource_id: 'seat 0/1' }]);
  });
});
