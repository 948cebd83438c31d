import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { nativePool } from '../../../src/platform/db/orm.js';
import { startApp } from '../../support/app.js';
import type { TestApp } from '../../support/app.js';
import { closeAfterwards } from '../../support/database.js';
import { until } from '../../support/embedded-postgres-kit.js';
import { logLines } from '../../support/log-lines.js';
import type { LogLines } from '../../support/log-lines.js';
import { createUnsteadyDatabase } from '../../support/unsteady-database.js';
import type { UnsteadyDatabase } from '../../support/unsteady-database.js';

describe('an unexpected error', () => {
  let app: TestApp;
  let log: LogLines;

  beforeAll(async () => {
    log = logLines();
    app = await startApp({ log: log.log });
    await app.sql('alter table product_addon rename to somewhere_else');
    await app.seed.addon();
  });

  const sent = (id: string) => ({ headers: { 'x-request-id': id } });
  const logged = (id: string) => log.at('error').filter((line) => line['requestId'] === id);

  it('POST /products 500 INTERNAL: no SQL, no stack; the log has it, once', async () => {
    const response = await app.rest('POST', '/products', { name: 'Broken', addons: [] }, sent('broken-1'));
    expect(response.status).toBe(500);
    expect(response.body).toEqual({
      type: 'urn:licensing:error:INTERNAL',
      title: 'Internal error',
      status: 500,
      detail: 'Something went wrong on our side; our log has it under this request id',
      instance: '/products',
      code: 'INTERNAL',
      request_id: 'broken-1',
    });
    expect(logged('broken-1')).toHaveLength(1);
    const [line] = logged('broken-1');
    expect(line?.['err']).toMatchObject({
      message: expect.stringContaining('"product_addon" does not exist'),
    });
    expect(await app.sql("select 1 from product where name = 'Broken'")).toEqual([]);
  });

  it('POST /products 500 with an Idempotency-Key: the same, and nothing is stored', async () => {
    const headers = { 'x-request-id': 'broken-2', 'idempotency-key': 'k' };
    const response = await app.rest('POST', '/products', { name: 'Broken', addons: [] }, { headers });
    expect([response.status, response.body.code]).toEqual([500, 'INTERNAL']);
    expect(logged('broken-2')).toHaveLength(1);
    expect(await app.sql('select 1 from idempotency_key')).toEqual([]);
  });

  it('GET /products 500: an error on the first page is an answer', async () => {
    await app.sql("insert into product (name, created_at, updated_at) values ('a', now(), now())");
    const response = await app.rest('GET', '/products', undefined, sent('broken-3'));
    expect([response.status, response.body.code]).toEqual([500, 'INTERNAL']);
    expect(logged('broken-3')).toHaveLength(1);
  });

  it('POST /graphql INTERNAL: masked and logged in the same way', async () => {
    const { data, errors } = await app.graphql('{ products { nodes { name addonNames } } }');
    expect(data).toBeNull();
    expect(errors[0]?.message).toBe('Something went wrong on our side; our log has it under this request id');
    const { code, request_id: id } = errors[0]?.extensions ?? {};
    expect(code).toBe('INTERNAL');
    expect(logged(id as string)).toHaveLength(1);
    expect(JSON.stringify(errors)).not.toMatch(/select|product_addon|stack/);
  });

  it('a list that breaks off in the middle is cut, never closed as if it were whole', async () => {
    await app.sql('alter table somewhere_else rename to product_addon');
    await app.sql(
      `insert into customer (name, created_at, updated_at)
       select 'c' || n, now(), now() from generate_series(1, 501) n`,
    );
    // The 501st row, on the second page, can't be read.
    await app.sql(`alter table customer alter column created_at type text using created_at::text`);
    await app.sql(`update customer set created_at = 'never' where name = 'c501'`);
    await expect(app.rest('GET', '/customers')).rejects.toThrow(/aborted|hang up|reset/);
    expect((await app.rest('GET', '/addons')).status).toBe(200);
  });
});

describe('the database away', () => {
  let database: UnsteadyDatabase;
  let app: TestApp;
  let log: LogLines;

  beforeAll(async () => {
    database = await createUnsteadyDatabase();
    log = logLines();
    app = await startApp({ databaseUrl: database.url, log: log.log });
  });

  it('503 UNAVAILABLE with Retry-After everywhere, 200 for /health/live, and all is well once it is back', async () => {
    expect((await app.rest('POST', '/products', { name: 'Before' })).status).toBe(201);
    await database.goAway();

    for (const response of [
      await app.rest('GET', '/products'),
      await app.rest('POST', '/products', { name: 'Meanwhile' }),
      await app.anonymous('POST', '/licenses/validate', { license_key: 'a' }),
    ]) {
      expect([response.status, response.body.code]).toEqual([503, 'UNAVAILABLE']);
      expect(response.headers['retry-after']).toBe('2');
      expect(response.text).not.toMatch(/ECONN|127\.0\.0\.1|postgres/);
    }
    const graphql = await app.graphql('{ products { totalCount } }');
    expect([graphql.status, graphql.errors[0]?.extensions['code']]).toEqual([503, 'UNAVAILABLE']);
    expect((await app.anonymous('GET', '/health/live')).status).toBe(200);
    expect(log.at('error')).toEqual([]);
    expect(log.at('warn').length).toBeGreaterThan(0);

    await database.comeBack();
    await until(async () => (await app.rest('GET', '/products')).status === 200);
    expect((await app.rest('POST', '/products', { name: 'After' })).status).toBe(201);
    // What was asked for meanwhile is in the request log all the same.
    await app.flush();
    const rows = await app.sql<{ status: number }>('select distinct status from request_log order by status');
    expect(rows.map((row) => row.status)).toEqual([200, 201, 503]);
  });

  it('POST /products: connections cut in the middle of a transaction leave nothing', async () => {
    await app.sql(`create function slowly() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(42); return new; end $$`);
    await app.sql('create trigger slowly after insert on product for each row execute function slowly()');
    const holder = new Client(database.directUrl);
    await holder.connect();
    closeAfterwards(() => holder.end());
    await holder.query('select pg_advisory_lock(42)');
    const creating = app.rest('POST', '/products', { name: 'Cut' });
    await until(
      async () =>
        (await app.sql("select 1 from pg_locks where locktype = 'advisory' and not granted")).length > 0,
    );
    await database.goAway();
    expect((await creating).body).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    await database.comeBack();
    await until(async () => (await app.rest('GET', '/products')).status === 200);
    expect(await app.sql("select 1 from product where name = 'Cut'")).toEqual([]);
    // The connection that broke in use is back in the pool's hands, or the pool would run dry.
    const pool = await nativePool(app.orm);
    await until(() => pool.totalCount === pool.idleCount);
  });
});
