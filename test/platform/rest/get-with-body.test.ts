import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../../support/app.js';
import type { TestApp } from '../../support/app.js';

const run = promisify(execFile);
const hasCurl = spawnSync('curl', ['--version']).status === 0;

let app: TestApp;
let names: string[];

beforeAll(async () => {
  app = await startApp();
  names = [];
  for (let made = 0; made < 3; made++) names.push((await app.seed.product()).name);
});

const namesIn = (body: unknown) => (body as { name: string }[]).map((row) => row.name);

describe('GET with a JSON body, by node:http', () => {
  it('GET /products 200: {} is accepted', async () => {
    const response = await app.rest('GET', '/products', {});
    expect([response.status, namesIn(response.body)]).toEqual([200, names]);
  });

  it('GET /products 200: fields of the body count, and the Link carries them on', async () => {
    const response = await app.rest('GET', '/products', { limit: 2 });
    expect(namesIn(response.body)).toEqual(names.slice(0, 2));
    const [, next = ''] = /^<(.+)>; rel="next"$/.exec(response.headers['link'] as string) ?? [];
    expect(namesIn((await app.rest('GET', next)).body)).toEqual(names.slice(2));
  });

  it('GET /products 200: the query wins', async () => {
    const response = await app.rest('GET', '/products?limit=1', { limit: 2 });
    expect(namesIn(response.body)).toEqual(names.slice(0, 1));
  });

  it('GET /products 422: a bad member of the body points at it', async () => {
    const response = await app.rest('GET', '/products', { limit: 0 });
    expect([response.status, response.body.errors[0].pointer]).toEqual([422, '/limit']);
    expect((await app.rest('GET', '/products', { foo: 1 })).body.code).toBe('UNKNOWN_FIELD');
  });
});

(hasCurl ? describe : describe.skip)('GET with a JSON body, by curl', () => {
  const curl = async (...args: string[]) => {
    const authorization = [
      '-H',
      `Authorization: Bearer ${app.apiKey}`,
      '-H',
      'Content-Type: application/json',
    ];
    const { stdout } = await run('curl', ['-s', '-w', '\n%{http_code}', ...authorization, ...args]);
    const [status = '', ...text] = stdout.split('\n').reverse();
    return { status: Number(status), body: JSON.parse(text.reverse().join('\n')) as unknown };
  };

  it('GET /products 200', async () => {
    const response = await curl('-X', 'GET', '-d', '{"limit":2}', `${app.url}/products`);
    expect([response.status, namesIn(response.body)]).toEqual([200, names.slice(0, 2)]);
  });

  it('GET /products 200: chunked', async () => {
    const chunked = ['-H', 'Transfer-Encoding: chunked'];
    const response = await curl('-X', 'GET', ...chunked, '-d', '{"limit":1}', `${app.url}/products`);
    expect([response.status, namesIn(response.body)]).toEqual([200, names.slice(0, 1)]);
  });

  it('GET /products 400: malformed', async () => {
    const response = await curl('-X', 'GET', '-d', '{"limit"', `${app.url}/products`);
    expect(response).toMatchObject({ status: 400, body: { code: 'MALFORMED_JSON' } });
  });
});
