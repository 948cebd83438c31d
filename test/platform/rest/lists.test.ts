import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../../support/app.js';
import type { TestApp } from '../../support/app.js';
import { until } from '../../support/embedded-postgres-kit.js';
import { recordStatements } from '../../support/statements.js';
import type { StatementRecorder } from '../../support/statements.js';

const ROWS = 1_203;
let app: TestApp;
let statements: StatementRecorder;

beforeAll(async () => {
  app = await startApp();
  await insertProducts(app, 'p', ROWS);
  statements = await recordStatements(app.orm);
});

async function insertProducts(to: TestApp, prefix: string, count: number): Promise<void> {
  await to.sql(
    `insert into product (name, created_at, updated_at)
     select $1 || n, now(), now() from generate_series(1, $2::integer) n`,
    [prefix, count],
  );
}

const ids = (body: unknown) => (body as { id: number }[]).map((row) => row.id);
const isPage = (text: string) => text.includes('from "product"');
const ascending = (list: number[]) => list.every((id, index) => index === 0 || id > (list[index - 1] ?? 0));

describe('GET /products 200, the complete list', () => {
  it('has every row once, in id order, in pages of 500', async () => {
    let list: number[] = [];
    const sent = await statements.during(async () => {
      const response = await app.rest('GET', '/products');
      expect(response.headers['transfer-encoding']).toBe('chunked');
      expect(response.headers['link']).toBeUndefined();
      list = ids(response.body);
    });
    expect([list.length, new Set(list).size, ascending(list)]).toEqual([ROWS, ROWS, true]);
    expect(sent.filter(isPage)).toHaveLength(3);
  });

  it('is [] when there is none', async () => {
    const response = await app.rest('GET', '/licenses');
    expect([response.status, response.text]).toEqual([200, '[]']);
  });

  it('costs a HEAD one page of one row', async () => {
    const sent = await statements.during(() => app.rest('HEAD', '/products'));
    expect(sent.filter(isPage)).toHaveLength(1);
  });

  it('sends the first rows before it has read the last', async () => {
    const response = await open('/products');
    const first = await nextChunk(response);
    expect(first.startsWith('[{')).toBe(true);
    expect(first.endsWith(']')).toBe(false);
    response.resume();
  });
});

describe('GET /products?limit=…', () => {
  const walk = async (limit: number, eachPage: (page: number) => Promise<void> = () => Promise.resolve()) => {
    const seen: number[] = [];
    let path: string | undefined = `/products?limit=${limit}`;
    for (let page = 0; path !== undefined; page++) {
      const response = await app.rest('GET', path);
      expect(response.status).toBe(200);
      const rows = ids(response.body);
      expect(rows.length).toBeLessThanOrEqual(limit);
      seen.push(...rows);
      await eachPage(page);
      [, path] = /^<(.+)>; rel="next"$/.exec((response.headers['link'] as string | undefined) ?? '') ?? [];
    }
    return seen;
  };

  it('200: the Links lead to each row once, in id order', async () => {
    const seen = await walk(100);
    expect([seen.length, new Set(seen).size, ascending(seen)]).toEqual([ROWS, ROWS, true]);
  });

  it('200: also while rows are inserted and deleted', async () => {
    const before = ids((await app.rest('GET', '/products')).body);
    const seen = await walk(250, async (page) => {
      await insertProducts(app, `during ${page} `, page < 3 ? 50 : 0);
      await app.sql("delete from product where name = 'p1'");
    });
    expect(new Set(seen).size).toBe(seen.length);
    expect(ascending(seen)).toBe(true);
    expect(seen.slice(0, ROWS)).toEqual(before);
    expect(seen).toHaveLength(ROWS + 150);
    await app.sql("delete from product where name like 'during %'");
  });

  it('200: the last page has no Link, also when it is full', async () => {
    const all = ids((await app.rest('GET', '/products')).body);
    const page = await app.rest('GET', `/products?limit=1&cursor=${cursorOf(all.at(-2) ?? 0)}`);
    expect([ids(page.body), page.headers['link']]).toEqual([all.slice(-1), undefined]);
  });

  it.each(['limit=0', 'limit=501', 'limit=-1'])('400 BAD_PARAMETER: %s', async (query) => {
    const response = await app.rest('GET', `/products?${query}`);
    expect([response.status, response.body.code, response.body.errors[0].pointer]).toEqual([
      400,
      'BAD_PARAMETER',
      '/limit',
    ]);
  });

  it.each([
    'abc',
    '[1]',
    ...[['abc'], [1, 2], [], { a: 1 }, [{ $ne: 1 }], [99999999999], [1.5], [null], 7].map((value) =>
      Buffer.from(JSON.stringify(value)).toString('base64url'),
    ),
  ])('400 BAD_PARAMETER: cursor=%s', async (cursor) => {
    const response = await app.rest('GET', `/products?cursor=${encodeURIComponent(cursor)}`);
    expect([response.status, response.body.code, response.body.errors[0].pointer]).toEqual([
      400,
      'BAD_PARAMETER',
      '/cursor',
    ]);
  });
});

describe('a client that goes away', () => {
  it('ends the paging', async () => {
    // Far more than the sockets' buffers hold, so that paging has to wait for the client.
    await app.sql(
      `insert into addon (name, created_at, updated_at)
       select repeat('x', 240) || n, now(), now() from generate_series(1, 60000) n`,
    );
    const pages = () => statements.all.filter((text) => text.includes('from "addon"')).length;
    const response = await open('/addons');
    await nextChunk(response);
    response.destroy();
    await app.flush();
    // Its row in the request log is written when the response has closed.
    await until(async () => {
      await app.flush();
      const [row] = await app.sql("select 1 from request_log where path = '/addons'");
      return row !== undefined;
    });
    // A page that was under way may still end; a whole list later nothing more has been asked for.
    await app.rest('GET', '/products');
    const asked = pages();
    await app.rest('GET', '/products');
    expect(pages()).toBe(asked);
    expect(asked).toBeLessThan(120);
  });
});

function cursorOf(id: number): string {
  return Buffer.from(JSON.stringify([id])).toString('base64url');
}

/** A response whose body nobody reads yet. */
function open(path: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${app.apiKey}` };
  return new Promise((resolve, reject) => {
    request(app.url + path, { headers }, resolve)
      .on('error', reject)
      .end();
  });
}

function nextChunk(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    response.once('data', (chunk: Buffer) => {
      response.pause();
      resolve(chunk.toString());
    });
  });
}
