import { beforeAll, describe, expect, it } from '@jest/globals';
import { dropOldLogs, maintainLogPartitions } from '../../src/licensing/logs/log-partition.service.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';

let app: TestApp;
const DAY_MS = 86_400_000;

beforeAll(async () => {
  app = await startApp();
});

describe('GET /logs?type=requests', () => {
  it('200: newest first, with the verdict, and the key masked', async () => {
    const product = await app.seed.product({ name: 'Logged' });
    const { key } = await app.seed.license({ product: product.name, key: 'LOGGED-KEY-ABCDEF' });
    const validated = await app.anonymous(
      'POST',
      '/licenses/validate',
      { license_key: key },
      { headers: { 'user-agent': 'my app/1.0' } },
    );
    await app.flush();
    const response = await app.rest('GET', '/logs?type=requests&limit=1');
    expect(response.status).toBe(200);
    expect(response.body).toEqual([
      {
        id: expect.any(Number),
        type: 'requests',
        request_id: validated.headers['x-request-id'],
        method: 'POST',
        path: '/licenses/validate',
        status: 200,
        code: 'VALID',
        license: '…ABCDEF',
        product: 'Logged',
        customer: null,
        ip: '127.0.0.1',
        agent: 'my app/1.0',
        duration_ms: expect.any(Number),
        createdAt: '2026-01-15T12:00:00.000Z',
      },
    ]);
  });

  it('200: no entry holds a whole key, wherever it was sent', async () => {
    await app.anonymous('POST', '/licenses/validate?license_key=LOGGED-KEY-ABCDEF', {
      license_key: 'LOGGED-KEY-ABCDEF',
    });
    await app.flush();
    const [found] = await app.sql<{ count: string }>(
      "select count(*) from request_log r where r::text ilike '%LOGGED-KEY%'",
    );
    expect(found?.count).toBe('0');
  });

  it('200: filters by license, code and time', async () => {
    const { key } = await app.seed.license({ key: 'FILTERED-KEY-FEDCBA', status: 'revoked' });
    await app.anonymous('POST', '/licenses/validate', { license_key: key });
    await app.flush();
    const codes = async (filter: string) => {
      const response = await app.rest('GET', `/logs?type=requests&${filter}`);
      return (response.body as { code: string }[]).map((entry) => entry.code);
    };
    expect(await codes(`license=${key.toLowerCase()}`)).toEqual(['REVOKED']);
    expect(await codes('code=REVOKED')).toEqual(['REVOKED']);
    expect(await codes('from=2026-01-15T12:00:00.001Z')).toEqual([]);
    expect(await codes('to=2026-01-15T12:00:00.000Z')).toEqual([]);
  });

  it('200: page by page, each entry once', async () => {
    await app.flush();
    const pages = [];
    for (let page = 1; page <= 3; page++) {
      const { body } = await app.rest(
        'GET',
        `/logs?type=requests&limit=2&page=${page}&to=2026-01-15T12:00:01Z`,
      );
      pages.push(...(body as { id: number }[]).map((entry) => entry.id));
    }
    expect(pages).toHaveLength(6);
    expect(pages).toEqual([...new Set(pages)].sort((a, b) => b - a));
  });

  it.each(['limit=0', 'limit=101', 'page=0', 'page=x', 'from=yesterday', 'type=errors'])(
    '400 for %s',
    async (query) => {
      const type = query.startsWith('type') ? '' : '&type=requests';
      const response = await app.rest('GET', `/logs?${query}${type}`);
      expect(response.status).toBe(400);
      expect(response.body).toMatchObject({ code: 'BAD_PARAMETER' });
    },
  );
});

describe('GET /logs?type=activity', () => {
  it('200: the change with its actor, before and after', async () => {
    const { key } = await app.seed.license({ key: 'CHANGED-KEY-123456' });
    const changed = await app.rest('PATCH', '/licenses', { key, seats: 3 });
    const response = await app.rest('GET', `/logs?type=activity&limit=1&license=${key}`);
    expect(response.body).toEqual([
      {
        id: expect.any(Number),
        type: 'activity',
        event: 'license.updated',
        actor: 'api_key:*',
        resource: { type: 'license', id: '…123456' },
        changes: { seats: [-1, 3] },
        request_id: changed.headers['x-request-id'],
        source: 'rest',
        createdAt: '2026-01-15T12:00:00.000Z',
      },
    ]);
  });

  it('200: filters by event', async () => {
    await app.seed.addon({ name: 'noted' });
    const { body } = await app.rest('GET', '/logs?type=activity&code=addon.created');
    expect(body).toMatchObject([{ event: 'addon.created', resource: { type: 'addon', id: 'noted' } }]);
  });
});

describe('DELETE /logs', () => {
  it('200: tells how many went, and leaves an entry that says so', async () => {
    const own = await startApp();
    await own.seed.addon();
    await own.flush();
    const [before] = await own.sql<{ count: string }>('select count(*) from activity');
    const response = await own.rest('DELETE', '/logs?type=activity');
    expect(response.body).toEqual({ cleared: Number(before?.count) });
    const { body } = await own.rest('GET', '/logs?type=activity');
    expect(body).toMatchObject([{ event: 'log.cleared', changes: { entries: [Number(before?.count), 0] } }]);
  });

  it('403 for a key that may only read', async () => {
    const reader = await app.restAs('licensing:read');
    const response = await reader('DELETE', '/logs?type=requests');
    expect(response.status).toBe(403);
    expect((await reader('GET', '/logs?type=requests')).status).toBe(200);
  });
});

describe('retention', () => {
  it('drops whole days past their retention, and keeps the others', async () => {
    const own = await startApp({ env: { LOGS_REQUESTS_RETENTION: '2', LOGS_ACTIVITY_RETENTION: '4' } });
    const em = own.orm.em.fork();
    // A partition can't be made for a day whose rows are in the default one already.
    await own.sql('delete from activity');
    await maintainLogPartitions(em, own.ctx);
    await own.seed.addon({ name: 'first day' });
    await own.flush();
    own.clock.advance(3 * DAY_MS);
    await own.seed.addon({ name: 'fourth day' });
    await own.flush();
    const dropped = await dropOldLogs(em, own.ctx);
    expect(dropped).toContain('request_log_20260115');
    expect(dropped.every((name) => name.startsWith('request_log_'))).toBe(true);
    expect(await own.sql('select 1 from request_log')).toHaveLength(1);
    expect(await own.sql("select 1 from activity where event = 'addon.created'")).toHaveLength(2);
    own.clock.advance(2 * DAY_MS);
    expect(await dropOldLogs(em, own.ctx)).toContain('activity_20260115');
    expect(await own.sql("select 1 from activity where event = 'addon.created'")).toHaveLength(1);
  });
});
