import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { recordStatements } from '../support/statements.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

/** Validates and gives the session's token. */
async function open(key: string, identifier: string): Promise<string> {
  const { body } = await app.anonymous('POST', '/licenses/validate', { license_key: key, identifier });
  expect(body).toMatchObject({ valid: true });
  return body.session.token as string;
}

const beat = (token: string) => app.anonymous('POST', '/sessions/heartbeat', { token });
const close = (token: string) => app.anonymous('POST', '/sessions/close', { token });

async function eventsOf(identifier: string): Promise<string[]> {
  const rows = await app.sql<{ event: string }>(
    "select event from activity where resource_type = 'session' and resource_id = $1 order by id",
    [identifier],
  );
  return rows.map((row) => row.event);
}

describe('POST /sessions/heartbeat', () => {
  it('200: moves the end on by the life of a session of the product', async () => {
    const product = await app.seed.product({ session_ttl: 120 });
    const { key } = await app.seed.license({ product: product.name });
    const token = await open(key, 'beats');
    app.clock.advance(100_000);
    const now = app.clock.now();
    const response = await beat(token);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      token,
      last_seen: now.toISOString(),
      expires_at: new Date(now.getTime() + 120_000).toISOString(),
    });
  });

  it('410 SESSION_EXPIRED: once its time is over', async () => {
    const { key } = await app.seed.license();
    const token = await open(key, 'too late');
    app.clock.advance(600_000);
    const response = await beat(token);
    expect(response.status).toBe(410);
    expect(response.body).toMatchObject({ code: 'SESSION_EXPIRED' });
  });

  it.each(['unknown', 'x\u0000y', '', 'x'.repeat(1024)])('404 SESSION_NOT_FOUND: %j', async (token) => {
    const response = await beat(token);
    expect(response.status).toBe(404);
    expect(response.body).toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it.each([
    [{ status: 'suspended' }, 'SUSPENDED'],
    [{ status: 'revoked' }, 'REVOKED'],
    [{ expires_at: '2020-01-01' }, 'EXPIRED'],
  ])('403 when the license is no longer valid: %j', async (change, code) => {
    const { key } = await app.seed.license();
    const token = await open(key, `refused ${code}`);
    await app.rest('PATCH', '/licenses', { key, ...change });
    const response = await beat(token);
    expect(response.status).toBe(403);
    expect(response.body).toMatchObject({ code });
  });

  it("403 BANNED when the license's user is banned, 404 when the license is deleted", async () => {
    await app.rest('POST', '/users', { user_id: 'holder' });
    const { key } = await app.seed.license({ user_id: 'holder' });
    const token = await open(key, 'banned');
    await app.rest('PATCH', '/users', { user_id: 'holder', status: 'banned' });
    expect((await beat(token)).body).toMatchObject({ status: 403, code: 'BANNED' });
    await app.rest('DELETE', '/licenses', { key });
    expect((await beat(token)).status).toBe(404);
  });

  it('422 without a token', async () => {
    const response = await app.anonymous('POST', '/sessions/heartbeat', {});
    expect(response.status).toBe(422);
    expect(response.body.errors[0].pointer).toBe('/token');
  });
});

describe('POST /sessions/close', () => {
  it('200: frees the seat at once, and tells so in the activity log', async () => {
    const { key } = await app.seed.license({ seats: 1 });
    const token = await open(key, 'first in');
    const waiting = { license_key: key, identifier: 'waits' };
    const refused = await app.anonymous('POST', '/licenses/validate', waiting);
    expect(refused.body).toMatchObject({ code: 'SEAT_LIMIT_REACHED' });
    const response = await close(token);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ closed: true });
    expect((await app.anonymous('POST', '/licenses/validate', waiting)).body).toMatchObject({ valid: true });
    expect(await eventsOf('first in')).toEqual(['session.closed']);
  });

  it('404 for a session that is closed, also when 20 close it at once: one 200', async () => {
    const { key } = await app.seed.license();
    const token = await open(key, 'closed once');
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => close(token)))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.every((status) => [200, 404, 410].includes(status))).toBe(true);
    expect((await close(token)).status).toBe(404);
    expect((await beat(token)).status).toBe(404);
    expect(await eventsOf('closed once')).toEqual(['session.closed']);
  });

  it('410 for one whose time was over, which is announced as what it is', async () => {
    const { key } = await app.seed.license();
    const token = await open(key, 'over');
    app.clock.advance(600_000);
    expect((await close(token)).status).toBe(410);
    expect(await eventsOf('over')).toEqual([]);
  });
});

describe('GET /sessions', () => {
  it('200: open ones in the order in which they were opened, all or those of a license', async () => {
    const own = await startApp();
    const product = await own.seed.product({ name: 'Listed' });
    const { key } = await own.seed.license({ product: product.name });
    const other = await own.seed.license();
    const validate = (license_key: string, identifier: string) =>
      own.anonymous(
        'POST',
        '/licenses/validate',
        { license_key, identifier },
        { headers: { 'user-agent': 'app/2' } },
      );
    const first = await validate(key, 'one');
    await validate(other.key, 'two');
    const { body } = await own.rest('GET', `/sessions?license=${key.toLowerCase()}`);
    expect(body).toEqual([
      {
        token: first.body.session.token,
        license: key,
        product: 'Listed',
        identifier: 'one',
        ip: '127.0.0.1',
        agent: 'app/2',
        last_seen: '2026-01-15T12:00:00.000Z',
        expires_at: '2026-01-15T12:10:00.000Z',
      },
    ]);
    expect((await own.rest('GET', `/sessions?license_key=${key}`)).body).toEqual(body);
    const identifiers = async (path: string) =>
      ((await own.rest('GET', path)).body as { identifier: string }[]).map(({ identifier }) => identifier);
    expect(await identifiers('/sessions')).toEqual(['one', 'two']);
    expect(await identifiers('/sessions?identifier=two')).toEqual(['two']);
    expect(await identifiers('/sessions?license=UNKNOWN-KEY')).toEqual([]);
    const page = await own.rest('GET', '/sessions?limit=1');
    const next = /<(.+)>; rel="next"/.exec(String(page.headers['link']))?.[1] ?? '';
    expect(await identifiers(next)).toEqual(['two']);
    own.clock.advance(600_000);
    expect(await identifiers('/sessions')).toEqual([]);
  });

  it('GraphQL: seats in use beside seats, for a page of licenses', async () => {
    const own = await startApp();
    const { key } = await own.seed.license({ seats: 3 });
    await own.seed.license();
    for (const identifier of ['a', 'b']) {
      await own.anonymous('POST', '/licenses/validate', { license_key: key, identifier });
    }
    const recorder = await recordStatements(own.orm);
    let data: unknown;
    const statements = await recorder.during(async () => {
      ({ data } = await own.graphql('{ licenses { nodes { seats seatsUsed } } sessions { totalCount } }'));
    });
    // One for the whole page.
    expect(statements.filter((text) => text.includes('group by license_id'))).toHaveLength(1);
    expect(data).toEqual({
      licenses: {
        nodes: [
          { seats: 3, seatsUsed: 2 },
          { seats: -1, seatsUsed: 0 },
        ],
      },
      sessions: { totalCount: 2 },
    });
  });
});

describe('DELETE /sessions', () => {
  it('200: those of one license, one token, one identifier, or all', async () => {
    const own = await startApp();
    const licenses = await Promise.all([own.seed.license(), own.seed.license()]);
    const opened = async () => {
      for (const { key } of licenses) {
        for (const identifier of ['a', 'b']) {
          await own.anonymous('POST', '/licenses/validate', { license_key: key, identifier });
        }
      }
      return (await own.rest('GET', '/sessions')).body as { token: string }[];
    };
    const revoke = async (body: object) => (await own.rest('DELETE', '/sessions', body)).body as unknown;
    const [session] = await opened();
    expect(await revoke({ token: session?.token })).toEqual({ revoked: true, cleared: 1 });
    expect(await revoke({ license: licenses[0].key })).toEqual({ revoked: true, cleared: 1 });
    expect(await revoke({ identifier: 'b' })).toEqual({ revoked: true, cleared: 1 });
    await opened();
    expect(await revoke({})).toEqual({ revoked: true, cleared: 4 });
    expect(await revoke({})).toEqual({ revoked: false, cleared: 0 });
    const entries = await own.sql("select 1 from activity where event = 'session.revoked'");
    expect(entries).toHaveLength(7);
  });

  it('200: a key that no license has revokes nothing', async () => {
    const { key } = await app.seed.license();
    const token = await open(key, 'stays');
    const response = await app.rest('DELETE', '/sessions', { license: 'MISTYPED-KEY' });
    expect(response.body).toEqual({ revoked: false, cleared: 0 });
    expect((await beat(token)).status).toBe(200);
  });
});

describe('seats', () => {
  it('30 at once for 3 seats through two gateways: exactly 3 get in; after one closes, the next does', async () => {
    const second = await startApp({ databaseUrl: app.databaseUrl });
    second.clock.set(app.clock.now());
    const { key } = await app.seed.license({ seats: 3 });
    const validate = (n: number) =>
      (n % 2 === 0 ? app : second).anonymous('POST', '/licenses/validate', {
        license_key: key,
        identifier: `seat ${n}`,
      });
    const verdicts = await Promise.all(Array.from({ length: 30 }, (_, n) => validate(n)));
    const tokens = verdicts
      .filter(({ body }) => body.valid as boolean)
      .map(({ body }) => body.session.token as string);
    expect(tokens).toHaveLength(3);
    expect((await validate(99)).body).toMatchObject({ code: 'SEAT_LIMIT_REACHED' });
    await close(tokens[0] ?? '');
    expect((await validate(99)).body).toMatchObject({ valid: true });
  });
});
