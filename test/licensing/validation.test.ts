import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import type { RestResponse } from '../support/rest.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

function validate(license_key: unknown, more: Record<string, unknown> = {}, at = app): Promise<RestResponse> {
  return at.anonymous('POST', '/licenses/validate', { license_key, ...more });
}

function sessionsOf(id: number) {
  return app.sql<{ token: string; identifier: string; ttl: number; expires_at: Date }>(
    'select * from session where license_id = $1 order by identifier',
    [id],
  );
}

function tokenOf({ body }: RestResponse): unknown {
  return body.session?.token;
}

describe('POST /licenses/validate 200', () => {
  it('VALID: all there is to know, and a session', async () => {
    const { name: product } = await app.seed.product();
    const { name: customer } = await app.seed.customer();
    const { name: addon } = await app.seed.addon();
    const expires_at = '2027-01-31T12:00:00.000Z';
    const { key } = await app.seed.license({ product, customer, addons: [addon], expires_at });
    const response = await validate(key, { product });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      valid: true,
      code: 'VALID',
      message: 'The license is valid.',
      ...{ product, customer, expires_at, status: 'active', addons: [addon] },
      ...{ variables: {}, user_variables: {} },
      timestamp: Math.floor(app.clock.now().getTime() / 1000),
      session: { token: expect.stringMatching(/^[\w-]{43}$/) },
    });
  });

  it('NOT_FOUND: nulls, empty lists and objects, no session', async () => {
    const response = await validate('AAAAA-AAAAA-AAAAA-AAAAA-AAAAA');
    expect([response.status, response.body]).toMatchObject([
      200,
      {
        ...{ valid: false, code: 'NOT_FOUND', message: expect.any(String), status: 'invalid' },
        ...{ product: null, customer: null, expires_at: null, session: null },
        ...{ addons: [], variables: {}, user_variables: {}, timestamp: expect.any(Number) },
      },
    ]);
  });

  it.each([
    ['SUSPENDED', 'suspended', { status: 'suspended' }],
    ['REVOKED', 'revoked', { status: 'revoked' }],
    ['EXPIRED', 'expired', { expires_at: '2026-01-01T00:00:00.000Z' }],
    ['PRODUCT_MISMATCH', 'active', {}],
    ['REVOKED', 'revoked', { status: 'revoked', expires_at: '2026-01-01T00:00:00.000Z' }],
    ['SUSPENDED', 'suspended', { status: 'suspended', expires_at: '2026-01-01T00:00:00.000Z' }],
  ])('%s: names the license, opens nothing (%s, %j)', async (code, status, fields) => {
    const { name: product } = await app.seed.product();
    const { name: customer } = await app.seed.customer();
    const { name: addon } = await app.seed.addon();
    const license = await app.seed.license({ product, customer, addons: [addon], ...fields });
    const response = await validate(license.key, { product: 'Another product' });
    expect([response.status, response.body]).toMatchObject([
      200,
      {
        ...{ valid: false, code, status, product, customer, expires_at: license['expires_at'] },
        ...{ addons: [], variables: {}, user_variables: {}, session: null },
      },
    ]);
    expect(await sessionsOf(license.id)).toEqual([]);
  });

  it('EXPIRED: at that very moment, by the clock', async () => {
    const now = app.clock.now();
    const { key } = await app.seed.license({ expires_at: new Date(now.getTime() + 1000).toISOString() });
    app.clock.advance(999);
    expect((await validate(key)).body.code).toBe('VALID');
    app.clock.advance(1);
    expect((await validate(key)).body.code).toBe('EXPIRED');
  });

  it('SEAT_LIMIT_REACHED: the seat is named by the identifier, and free when its time is over', async () => {
    const { name: product } = await app.seed.product({ session_ttl: 60 });
    const { key, id } = await app.seed.license({ product, seats: 1 });
    expect((await validate(key, { identifier: 'a' })).body.valid).toBe(true);
    const full = await validate(key, { identifier: 'b' });
    expect([full.status, full.body]).toMatchObject([
      200,
      { valid: false, code: 'SEAT_LIMIT_REACHED', status: 'active', product, session: null },
    ]);
    app.clock.advance(59_999);
    expect((await validate(key, { identifier: 'b' })).body.code).toBe('SEAT_LIMIT_REACHED');
    app.clock.advance(1);
    expect((await validate(key, { identifier: 'b' })).body.code).toBe('VALID');
    expect((await validate(key, { identifier: 'a' })).body.code).toBe('SEAT_LIMIT_REACHED');
    expect((await sessionsOf(id)).map(({ ttl }) => ttl)).toEqual([60, 60]);
  });

  it('VALID: a renewal keeps the token and lasts on; after the end there is a new one', async () => {
    const { key, id } = await app.seed.license({ seats: 1 });
    const first = tokenOf(await validate(key, { identifier: 'a' }));
    app.clock.advance(599_999);
    expect(tokenOf(await validate(key, { identifier: 'a' }))).toBe(first);
    const [session] = await sessionsOf(id);
    expect(session?.expires_at.getTime()).toBe(app.clock.now().getTime() + 600_000);
    app.clock.advance(600_000);
    expect(tokenOf(await validate(key, { identifier: 'a' }))).not.toBe(first);
    expect(await sessionsOf(id)).toHaveLength(1);
  });

  it("VALID: without an identifier the seat is the client's address", async () => {
    const { key, id } = await app.seed.license({ seats: 1 });
    const tokens = [tokenOf(await validate(key)), tokenOf(await validate(key, { identifier: null }))];
    expect(tokens[0]).toBe(tokens[1]);
    expect((await sessionsOf(id)).map(({ identifier }) => identifier)).toEqual(['127.0.0.1']);
  });

  it('VALID: members that nobody knows are ignored, in the body and in the query', async () => {
    const { key } = await app.seed.license();
    const body = { license_key: key, hwid: 'x', id: 7, constructor: 1, nested: { a: [] } };
    const response = await app.anonymous('POST', '/licenses/validate?utm=1', body);
    expect(response.body).toMatchObject({ valid: true });
  });

  it.each([
    ['empty', ''],
    ['NUL', 'AAAAA\u0000BBBBB'],
    ['1024 characters', 'k'.repeat(1024)],
    ['emoji', '🔑'.repeat(10)],
    ['half a surrogate pair', 'key-\ud83d'],
    ['a cut surrogate pair', '😀abcde'],
    ['SQL', "' or 1=1; drop table license; --"],
    ['a prototype', '__proto__'],
  ])('NOT_FOUND: a strange key (%s), and the request log takes it', async (_name, key) => {
    const response = await validate(key);
    expect([response.status, response.body.code]).toEqual([200, 'NOT_FOUND']);
    await app.flush();
    const rows = await app.sql('select code from request_log where request_id = $1', [
      response.headers['x-request-id'],
    ]);
    expect(rows).toEqual([{ code: 'NOT_FOUND' }]);
  });

  it('knows of every change at once', async () => {
    const other = await startApp({ databaseUrl: app.databaseUrl });
    other.clock.set(app.clock.now());
    const { key } = await app.seed.license();
    const codes = async () => [(await validate(key)).body.code, (await validate(key, {}, other)).body.code];
    expect(await codes()).toEqual(['VALID', 'VALID']);
    for (const [change, code] of [
      [{ status: 'suspended' }, 'SUSPENDED'],
      [{ status: 'active' }, 'VALID'],
      [{ expires_at: '2020-01-01' }, 'EXPIRED'],
      [{ expires_at: null, status: 'revoked' }, 'REVOKED'],
    ] as const) {
      await other.rest('PATCH', '/licenses', { key, ...change });
      expect(await codes()).toEqual([code, code]);
    }
    await other.rest('DELETE', '/licenses', { key });
    expect(await codes()).toEqual(['NOT_FOUND', 'NOT_FOUND']);
  });
});

describe('POST /licenses/validate 422', () => {
  it.each([[{}], [{ license_key: null }], [{ license_key: 7 }], [{ license_key: 'k'.repeat(1025) }]])(
    '%j',
    async (body) => {
      const response = await app.anonymous('POST', '/licenses/validate', body);
      expect([response.status, response.body.errors]).toMatchObject([422, [{ pointer: '/license_key' }]]);
    },
  );
});

describe('POST /licenses/validate at once', () => {
  const valid = (responses: RestResponse[]) => responses.filter(({ body }) => body.valid === true);

  it('30 identifiers on 3 seats: exactly 3 are valid', async () => {
    const { key, id } = await app.seed.license({ seats: 3 });
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, n) => validate(key, { identifier: `machine ${n}` })),
    );
    expect(valid(responses)).toHaveLength(3);
    const others = responses.filter(({ body }) => !body.valid).map(({ body }) => body.code as string);
    expect(new Set(others)).toEqual(new Set(['SEAT_LIMIT_REACHED']));
    expect(await sessionsOf(id)).toHaveLength(3);
  });

  it('the same through two gateways', async () => {
    const other = await startApp({ databaseUrl: app.databaseUrl });
    other.clock.set(app.clock.now());
    const gateways = [app, other];
    const { key, id } = await app.seed.license({ seats: 3 });
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, n) => validate(key, { identifier: `machine ${n}` }, gateways[n % 2])),
    );
    expect([valid(responses).length, (await sessionsOf(id)).length]).toEqual([3, 3]);
  });

  it('50 with one identifier: one session, one token', async () => {
    const { key, id } = await app.seed.license({ seats: 1 });
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => validate(key, { identifier: 'same' })),
    );
    expect(valid(responses)).toHaveLength(50);
    expect(new Set(responses.map(tokenOf)).size).toBe(1);
    expect(await sessionsOf(id)).toHaveLength(1);
  });

  it('50 with one identifier and any number of seats: one session', async () => {
    const { key, id } = await app.seed.license();
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => validate(key, { identifier: 'same' })),
    );
    expect([valid(responses).length, new Set(responses.map(tokenOf)).size]).toEqual([50, 1]);
    expect(await sessionsOf(id)).toHaveLength(1);
  });
});
