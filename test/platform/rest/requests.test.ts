import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../../support/app.js';
import type { TestApp } from '../../support/app.js';

let app: TestApp;
const JSON_TYPE = { 'content-type': 'application/json' };

beforeAll(async () => {
  app = await startApp();
});

/** The parts of a problem that clients act on. */
function problem({
  status,
  body,
}: {
  status: number;
  body: { code: string; errors?: { pointer: string }[] };
}) {
  return [status, body.code, ...(body.errors ?? []).map((error) => error.pointer)];
}

describe('the body', () => {
  it.each(['{', '{"name":}', '\u0000', "{'name':'a'}", '{"name":"a"} {}'])(
    'POST /products 400 MALFORMED_JSON: %j',
    async (raw) => {
      const response = await app.rest('POST', '/products', undefined, { raw, headers: JSON_TYPE });
      expect(problem(response)).toEqual([400, 'MALFORMED_JSON']);
    },
  );

  it('POST /licenses 400 MALFORMED_JSON: deeper than anybody could read', async () => {
    const deep = (levels: number) => `{"whitelists":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const headers = { ...JSON_TYPE, 'idempotency-key': 'deep' };
    const send = (levels: number) => app.rest('POST', '/licenses', undefined, { raw: deep(levels), headers });
    expect(problem(await send(101))).toEqual([400, 'MALFORMED_JSON']);
    expect(problem(await send(30_000))).toEqual([400, 'MALFORMED_JSON']);
    expect(problem(await send(100))).toEqual([422, 'INVALID_FIELD', '/whitelists']);
  });

  it.each(['5', '"text"', '[]', '[{"name":"a"}]', 'null', 'true'])(
    'POST /products 422 INVALID_FIELD: %s is no object',
    async (raw) => {
      const response = await app.rest('POST', '/products', undefined, { raw, headers: JSON_TYPE });
      expect(problem(response)).toEqual([422, 'INVALID_FIELD', '']);
    },
  );

  it('POST /products 413 BODY_TOO_LARGE: 200 KB, with and without a length', async () => {
    const raw = JSON.stringify({ name: 'a'.repeat(200_000) });
    const long = await app.rest('POST', '/products', undefined, { raw, headers: JSON_TYPE });
    expect(problem(long)).toEqual([413, 'BODY_TOO_LARGE']);
    const chunked = await fetch(`${app.url}/products`, {
      method: 'POST',
      headers: { ...JSON_TYPE, authorization: `Bearer ${app.apiKey}` },
      body: new Blob([raw]).stream(),
      duplex: 'half',
    });
    expect(problem({ status: chunked.status, body: (await chunked.json()) as { code: string } })).toEqual([
      413,
      'BODY_TOO_LARGE',
    ]);
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'application/jsonp', undefined])(
    'POST /products 415 UNSUPPORTED_MEDIA_TYPE: %s',
    async (type) => {
      const headers = type === undefined ? {} : { 'content-type': type };
      const response = await app.rest('POST', '/products', undefined, { raw: 'name=a', headers });
      expect(problem(response)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    },
  );

  it('POST /products 415: JSON in a charset other than UTF-8', async () => {
    const headers = { 'content-type': 'application/json; charset=latin1' };
    const response = await app.rest('POST', '/products', undefined, { raw: '{"name":"a"}', headers });
    expect(problem(response)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('POST /products 201: any JSON media type is read', async () => {
    const headers = { 'content-type': 'application/vnd.example+json' };
    const response = await app.rest('POST', '/products', { name: 'By suffix' }, { headers });
    expect([response.status, response.body.name]).toEqual([201, 'By suffix']);
  });
});

describe('fields', () => {
  it('POST /licenses 422: each wrong type, by the name that REST gives it', async () => {
    const response = await app.rest('POST', '/licenses', {
      expires_at: 'soon',
      seats: 'many',
      addons: ['a', 5],
      whitelists: [],
    });
    const [status, code, ...pointers] = problem(response);
    expect([status, code]).toEqual([422, 'INVALID_FIELD']);
    expect(pointers.sort()).toEqual(['/addons/1', '/expires_at', '/seats', '/whitelists']);
    expect(response.body.detail).toContain('expires_at must be an ISO 8601 date-time');
  });

  it('POST /products 422 /session_ttl: also when it is the service that refuses', async () => {
    const response = await app.rest('POST', '/products', { name: 'a', session_ttl: 5 });
    expect(problem(response)).toEqual([422, 'INVALID_FIELD', '/session_ttl']);
    expect(response.body.errors[0].detail).toBe('session_ttl must be between 60 and 86400 seconds; got 5');
  });

  it('POST /products 422 /name: missing, and null', async () => {
    expect(problem(await app.rest('POST', '/products', {}))).toEqual([422, 'INVALID_FIELD', '/name']);
    const response = await app.rest('POST', '/products', { name: null });
    expect(problem(response)).toEqual([422, 'INVALID_FIELD', '/name']);
  });

  it.each(['foo', 'sessionTtl', 'custom', '__proto__', 'constructor', 'toString', 'a/b~c'])(
    'POST /products 422 UNKNOWN_FIELD: %s',
    async (name) => {
      const raw = `{"name":"Unknown","${name}":{"polluted":true}}`;
      const response = await app.rest('POST', '/products', undefined, { raw, headers: JSON_TYPE });
      const pointer = `/${name.replace('~', '~0').replace('/', '~1')}`;
      expect(problem(response)).toEqual([422, 'UNKNOWN_FIELD', pointer]);
      expect(response.body.errors[0].detail).toBe(`${name} is not a known field`);
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    },
  );

  it('POST /licenses 422 UNKNOWN_FIELD: __proto__ and constructor, and what is in them is not taken', async () => {
    const raw = '{"__proto__":{"note":"a"},"constructor":{"prototype":{"note":"a"}}}';
    const response = await app.rest('POST', '/licenses', undefined, { raw, headers: JSON_TYPE });
    expect(problem(response)).toEqual([422, 'UNKNOWN_FIELD', '/__proto__', '/constructor']);
  });

  it('POST /licenses/validate 200: unknown fields and parameters are ignored, __proto__ too', async () => {
    const raw = '{"license_key":"none","hwid":"x","__proto__":{"a":1},"constructor":2}';
    const response = await app.anonymous('POST', '/licenses/validate?utm=1', undefined, {
      raw,
      headers: JSON_TYPE,
    });
    expect([response.status, response.body.code]).toEqual([200, 'NOT_FOUND']);
  });

  it('PATCH /products 200: a record that was read can be sent back', async () => {
    const product = await app.seed.product({ session_ttl: 90 });
    const response = await app.rest('PATCH', '/products', { ...product, id: -1 });
    expect(response.status).toBe(200);
    expect(response.body).toEqual(product);
  });

  it('PATCH /products 200: absent stays, null clears', async () => {
    const product = await app.seed.product({ session_ttl: 90 });
    const patch = (body: object) => app.rest('PATCH', '/products', { name: product.name, ...body });
    expect((await patch({})).body.session_ttl).toBe(90);
    expect((await patch({ session_ttl: null })).body.session_ttl).toBeNull();
  });

  it('PATCH /licenses 200: absent stays, null clears, each field for itself', async () => {
    const product = await app.seed.product();
    const set = { product: product.name, note: 'n', expires_at: '2030-01-01T00:00:00.000Z' };
    const license = await app.seed.license(set);
    const patch = async (body: object) => {
      const { key } = license;
      return (await app.rest('PATCH', '/licenses', { key, ...body })).body as Record<string, unknown>;
    };
    expect(await patch({ note: null })).toMatchObject({ ...set, note: null });
    expect(await patch({ product: null })).toMatchObject({ ...set, note: null, product: null });
    expect(await patch({ expires_at: null })).toMatchObject({ note: null, product: null, expires_at: null });
  });
});

describe('the query', () => {
  it('GET /products 400 BAD_PARAMETER: unknown, and says which there are', async () => {
    const response = await app.rest('GET', '/products?page=1');
    expect(problem(response)).toEqual([400, 'BAD_PARAMETER']);
    expect(response.body.detail).toBe('There is no query parameter "page"; allowed: limit, cursor');
  });

  it('POST /products 400: the custom fields come by the body only', async () => {
    const response = await app.rest('POST', '/products?custom=1', { name: 'a' });
    expect(problem(response)).toEqual([400, 'BAD_PARAMETER']);
    expect(response.body.detail).not.toMatch(/allowed:.*custom/);
  });

  it.each(['limit=1&limit=2', '__proto__=1', 'limit=a', 'limit=1.5', 'limit=99999999999', 'limit='])(
    'GET /products?%s 400 BAD_PARAMETER',
    async (query) => {
      expect(problem(await app.rest('GET', `/products?${query}`)).slice(0, 2)).toEqual([
        400,
        'BAD_PARAMETER',
      ]);
    },
  );

  it('U+0000 is told of by the name of what has it: 400 in a query, 422 in a body', async () => {
    const asked = await app.rest('GET', '/users?user_id=a%00');
    expect([...problem(asked), asked.body.detail]).toEqual([
      ...[400, 'BAD_PARAMETER', '/user_id', 'user_id must not contain the character U+0000'],
    ]);
    const sent = await app.rest('PATCH', '/products', { name: 'a\0' });
    expect(problem(sent)).toEqual([422, 'INVALID_FIELD', '/name']);
  });
});

describe('paths and methods', () => {
  it('GET /nothing 404 NOT_FOUND as a problem', async () => {
    const response = await app.rest('GET', '/nothing?a=secret');
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(response.body).toEqual({
      type: 'urn:licensing:error:NOT_FOUND',
      title: 'Not found',
      status: 404,
      detail: 'There is nothing at /nothing',
      instance: '/nothing',
      code: 'NOT_FOUND',
      request_id: response.headers['x-request-id'],
    });
  });

  it.each(['/%E0%A4%A', '/products/%', '/%ff'])('GET %s 400 BAD_PARAMETER', async (path) => {
    expect(problem(await app.rest('GET', path))).toEqual([400, 'BAD_PARAMETER']);
  });

  it('GET /Products 404: the case counts; GET /products/ 200: a slash at the end does not', async () => {
    expect((await app.rest('GET', '/Products')).status).toBe(404);
    expect((await app.rest('GET', '/products/')).status).toBe(200);
  });

  it('HEAD /products 200 without a body; HEAD /nothing 404', async () => {
    const response = await app.rest('HEAD', '/products');
    expect([response.status, response.text]).toEqual([200, '']);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect((await app.rest('HEAD', '/nothing')).status).toBe(404);
    expect((await app.anonymous('HEAD', '/products')).status).toBe(401);
  });

  it('OPTIONS /products 204 with Allow, no key needed; OPTIONS /nothing 404', async () => {
    const response = await app.anonymous('OPTIONS', '/products');
    expect([response.status, response.text]).toEqual([204, '']);
    expect(response.headers.allow).toBe('GET, POST, PATCH, DELETE, HEAD, OPTIONS');
    expect((await app.anonymous('OPTIONS', '/nothing')).status).toBe(404);
  });
});

describe('headers', () => {
  it.each([
    ['GET', '/products'],
    ['GET', '/nothing'],
    ['GET', '/%'],
    ['PUT', '/products'],
    ['GET', '/health/live'],
    ['GET', '/graphql'],
  ])('%s %s: on every response, whatever its status', async (method, path) => {
    const { headers } = await app.rest(method, path);
    expect(headers).toMatchObject({
      'api-version': '1',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('x-powered-by');
  });

  it.each(['abc', 'a'.repeat(128), 'trace/1:2+3=@x.y_z-0'])('X-Request-Id %s is kept', async (id) => {
    const response = await app.rest('GET', '/nothing', undefined, { headers: { 'x-request-id': id } });
    expect([response.headers['x-request-id'], response.body.request_id]).toEqual([id, id]);
  });

  it.each(['a'.repeat(129), 'a b', 'a"b', '<a>', 'a,b'])('X-Request-Id %s is replaced', async (id) => {
    const response = await app.rest('GET', '/nothing', undefined, { headers: { 'x-request-id': id } });
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.body.request_id).toBe(response.headers['x-request-id']);
  });

  it.each(['Basic abc', 'Bearer', 'Bearer a b', 'lsk_aaaaaaaa'])(
    'GET /products 401 API_KEY_INVALID: Authorization: %s',
    async (authorization) => {
      const response = await app.anonymous('GET', '/products', undefined, { headers: { authorization } });
      expect(problem(response)).toEqual([401, 'API_KEY_INVALID']);
      expect(response.headers['www-authenticate']).toMatch(/^Bearer error="/);
    },
  );
});

describe('the request log', () => {
  it('has the code of every error, also of those before there is a caller', async () => {
    const sent = (id: string) => ({ headers: { 'x-request-id': id } });
    await app.anonymous('GET', '/products', undefined, sent('log-missing'));
    await app.anonymous('GET', '/products', undefined, {
      headers: { 'x-request-id': 'log-invalid', authorization: 'Bearer nobody' },
    });
    await app.rest('PUT', '/products', undefined, sent('log-method'));
    await app.flush();
    const rows = await app.sql(
      "select request_id, status, code from request_log where request_id like 'log-%' order by request_id",
    );
    expect(rows).toEqual([
      { request_id: 'log-invalid', status: 401, code: 'API_KEY_INVALID' },
      { request_id: 'log-method', status: 405, code: 'METHOD_NOT_ALLOWED' },
      { request_id: 'log-missing', status: 401, code: 'API_KEY_MISSING' },
    ]);
  });
});
