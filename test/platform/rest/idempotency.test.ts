import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { startApp } from '../../support/app.js';
import type { TestApp } from '../../support/app.js';
import { closeAfterwards } from '../../support/database.js';
import { restClient } from '../../support/rest.js';

let app: TestApp;
let key: string;
let keys = 0;

beforeAll(async () => {
  app = await startApp();
});

beforeEach(() => {
  key = `key-${++keys}`;
});

const post = (path: string, body: unknown, rest = app.rest) =>
  rest('POST', path, body, { headers: { 'idempotency-key': key } });

async function count(table: string, name: string): Promise<number> {
  const [row] = await app.sql<{ count: number }>(
    `select count(*)::integer as count from ${table} where name = $1`,
    [name],
  );
  return row?.count ?? -1;
}

describe('Idempotency-Key', () => {
  it('POST /products 201: replayed byte by byte, and made once', async () => {
    const first = await post('/products', { name: 'Once' });
    const second = await post('/products', { name: 'Once' });
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(second.headers['content-type']).toBe(first.headers['content-type']);
    expect(await count('product', 'Once')).toBe(1);
  });

  it('POST /licenses 201: without it, the same body makes another', async () => {
    const [first, second] = [await post('/licenses', {}), await post('/licenses', {})];
    const third = await app.rest('POST', '/licenses', {});
    expect(second.body.key).toBe(first.body.key);
    expect(third.body.key).not.toBe(first.body.key);
  });

  it('POST 422 IDEMPOTENCY_KEY_REUSED: another body, path or query', async () => {
    await post('/products', { name: 'Reused' });
    for (const [path, body] of [
      ['/products', { name: 'Another' }],
      ['/customers', { name: 'Reused' }],
      ['/products?session_ttl=60', { name: 'Reused' }],
    ] as const) {
      const response = await post(path, body);
      expect([response.status, response.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
    expect(await count('product', 'Another')).toBe(0);
    expect(await count('customer', 'Reused')).toBe(0);
  });

  it('POST /products: of 50 at once one makes it, the others get 409 or the replay', async () => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => post('/products', { name: 'Concurrent' })),
    );
    const made = responses.filter(
      ({ status, headers }) => status === 201 && headers['idempotency-replayed'] === undefined,
    );
    expect(made).toHaveLength(1);
    for (const response of responses.filter((each) => each.status !== 201)) {
      expect([response.status, response.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_IN_PROGRESS']);
      expect(response.headers['retry-after']).toBe('1');
    }
    expect(new Set(responses.filter(({ status }) => status === 201).map(({ text }) => text)).size).toBe(1);
    expect(await count('product', 'Concurrent')).toBe(1);
  });

  it('POST /products 409 IDEMPOTENCY_KEY_IN_PROGRESS while the first one waits, then the replay', async () => {
    // Another administrator's open transaction holds the name, so the first request can't end.
    const other = new Client(app.databaseUrl);
    await other.connect();
    closeAfterwards(() => other.end());
    await other.query('begin');
    await other.query("insert into product (name, created_at, updated_at) values ('Held', now(), now())");
    const first = post('/products', { name: 'Held' });
    const waits = async () =>
      (await app.sql("select 1 from pg_locks where not granted and locktype = 'transactionid'")).length > 0;
    while (!(await waits()));
    const second = await post('/products', { name: 'Held' });
    expect([second.status, second.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_IN_PROGRESS']);
    await other.query('rollback');
    expect((await first).status).toBe(201);
    expect((await post('/products', { name: 'Held' })).headers['idempotency-replayed']).toBe('true');
  });

  it('POST /products: a failure is not stored, and leaves nothing', async () => {
    const failed = await post('/products', { name: 'Later', addons: ['Not there yet'] });
    expect(failed.status).toBe(422);
    expect(await count('product', 'Later')).toBe(0);
    await app.seed.addon({ name: 'Not there yet' });
    const again = await post('/products', { name: 'Later', addons: ['Not there yet'] });
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, undefined]);
  });

  it('POST /products: the change, its event and the stored answer are one transaction', async () => {
    await app.sql(`alter table idempotency_key add constraint no_crash check (key <> '${key}')`);
    expect((await post('/products', { name: 'Crashed' })).status).toBe(422);
    expect(await count('product', 'Crashed')).toBe(0);
    expect(await app.sql("select 1 from activity where resource_id = 'Crashed'")).toEqual([]);
    await app.sql('alter table idempotency_key drop constraint no_crash');
    expect((await post('/products', { name: 'Crashed' })).status).toBe(201);
  });

  it('POST /products 409 ALREADY_EXISTS: after 24 h the key is a new one', async () => {
    await post('/products', { name: 'Daily' });
    app.clock.advance(24 * 3_600_000 - 1);
    expect((await post('/products', { name: 'Daily' })).headers['idempotency-replayed']).toBe('true');
    app.clock.advance(1);
    const response = await post('/products', { name: 'Daily' });
    expect([response.status, response.body.code]).toEqual([409, 'ALREADY_EXISTS']);
    expect((await post('/products', { name: 'Daily 2' })).status).toBe(201);
  });

  it.each(['a b', 'é', 'a'.repeat(256), ''])('POST /products 400 BAD_PARAMETER: %j', async (malformed) => {
    const headers = { 'idempotency-key': malformed };
    const response = await app.rest('POST', '/products', { name: 'Malformed' }, { headers });
    expect([response.status, response.body.code]).toEqual([400, 'BAD_PARAMETER']);
    expect(await count('product', 'Malformed')).toBe(0);
  });

  it('POST: the keys of two callers are apart', async () => {
    const writer = await app.restAs('licensing:write', 'licensing:read');
    const mine = await post('/licenses', {});
    const theirs = await post('/licenses', {}, writer);
    expect(theirs.headers['idempotency-replayed']).toBeUndefined();
    expect(theirs.body.key).not.toBe(mine.body.key);
  });

  it('POST /licenses 403: a stored answer opens nothing to a key without the scope', async () => {
    await post('/licenses', {});
    const response = await post('/licenses', {}, await app.restAs('licensing:read'));
    expect(response.status).toBe(403);
  });

  it('PATCH and DELETE /products: the header is for POST alone', async () => {
    const { name } = await app.seed.product();
    const headers = { 'idempotency-key': key };
    const remove = () => app.rest('DELETE', '/products', { name }, { headers });
    expect((await remove()).status).toBe(200);
    expect((await remove()).status).toBe(404);
  });

  it('POST /licenses/validate 200: anonymous callers have it too, by address', async () => {
    const { key: licenseKey } = await app.seed.license({ seats: 1 });
    const body = { license_key: licenseKey, identifier: 'pc' };
    const anonymous = restClient(app.url, undefined);
    const first = await post('/licenses/validate', body, anonymous);
    const second = await post('/licenses/validate', body, anonymous);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(second.text).toBe(first.text);
  });
});
