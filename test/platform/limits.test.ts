import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { restClient } from '../support/rest.js';
import type { RestResponse } from '../support/rest.js';
import { byEventStream, byWebsocket } from '../support/subscriptions.js';

let app: TestApp;
let addresses = 0;

beforeAll(async () => {
  // The proxy is trusted, so that each test has an address of its own, with all its quotas.
  app = await startApp({ env: { LIMITS_ENABLED: 'true', SERVER_TRUSTED_PROXIES: '127.0.0.1' } });
});

/** Each test has a minute of its own, and no lock is remembered from the one before. */
beforeEach(() => {
  app.clock.set(new Date(Math.floor(app.clock.now().getTime() / 60_000) * 60_000 + 2 * 3_600_000));
});

/** An address that nobody has used. */
function anyone(): Record<string, string> {
  addresses++;
  return { 'x-forwarded-for': `198.51.${addresses >> 8}.${addresses & 255}` };
}

type Send = () => Promise<RestResponse>;

/** Sends the same again until it is refused; how often it was not, and the refusal. */
async function untilRefused(send: Send, atMost = 2_000): Promise<[number, RestResponse]> {
  for (let taken = 0; taken < atMost; taken++) {
    const response = await send();
    if (response.status === 429) return [taken, response];
  }
  throw new Error(`Not refused in ${atMost} requests`);
}

const validate = (key: string, headers: Record<string, string>, to = app) =>
  to.anonymous('POST', '/licenses/validate', { license_key: key }, { headers });

describe('POST /licenses/validate', () => {
  it('200 with RateLimit and RateLimit-Policy; the tightest policy is told', async () => {
    const { key } = await app.seed.license();
    const headers = anyone();
    const first = await validate(key, headers);
    expect(first.status).toBe(200);
    expect(first.headers).toMatchObject({
      'ratelimit-policy':
        '"validate-address";q=1200;w=60, "validate";q=60;w=60, "validate-license";q=600;w=60',
      ratelimit: '"validate";r=59;t=60',
    });
    app.clock.advance(18_500);
    expect((await validate(key, headers)).headers['ratelimit']).toBe('"validate";r=58;t=42');
  });

  it('429 RATE_LIMITED after 60 a minute for one license and address, whatever its spelling; others go on', async () => {
    const { key } = await app.seed.license();
    const headers = anyone();
    const spellings = [key, key.toLowerCase(), key.replaceAll('-', '')];
    let sent = 0;
    const [taken, refused] = await untilRefused(() => validate(spellings[sent++ % 3] ?? '', headers));
    expect(taken).toBe(60);
    expect(refused.body).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
      detail: 'Too many requests: at most 60 in 60 s for one key from one address; try again in 60 s',
    });
    expect(refused.headers).toMatchObject({ 'retry-after': '60', ratelimit: '"validate";r=0;t=60' });
    expect((await validate(key, anyone())).status).toBe(200);
    const other = await app.seed.license();
    expect((await validate(other.key, headers)).status).toBe(200);
    app.clock.advance(60_000);
    expect((await validate(key, headers)).status).toBe(200);
  });

  it('429 after 600 a minute for one license from any address: nobody uses it up alone', async () => {
    const { key } = await app.seed.license();
    let headers = anyone();
    let sent = 0;
    const [taken, refused] = await untilRefused(() => {
      if (sent++ % 60 === 0) headers = anyone();
      return validate(key, headers);
    });
    expect([taken, refused.headers['ratelimit']]).toEqual([600, '"validate-license";r=0;t=60']);
  });

  it('one /64 of IPv6 is one address; another is another', async () => {
    const { key } = await app.seed.license();
    const from = (address: string) => validate(key, { 'x-forwarded-for': address });
    let host = 0;
    const [taken] = await untilRefused(() => from(`2001:db8:1:2::${(++host).toString(16)}`));
    expect(taken).toBe(60);
    expect((await from('2001:db8:1:3::1')).status).toBe(200);
    // An IPv4 address that came over IPv6 is that IPv4 address.
    const [, v4] = [await from('203.0.113.200'), await from('::ffff:203.0.113.200')];
    expect(v4.headers['ratelimit']).toMatch(/^"validate";r=58;/);
  });

  it('mutation validateLicense: each alias counts, and shares the quota of REST', async () => {
    const { key } = await app.seed.license();
    const headers = anyone();
    for (let sent = 0; sent < 50; sent++) await validate(key, headers);
    const aliases = Array.from(
      { length: 20 },
      (_, n) => `a${n}: validateLicense(input: { key: $key }) { code }`,
    );
    const body = { query: `mutation ($key: Presented!) { ${aliases.join(' ')} }`, variables: { key } };
    const response = await app.anonymous('POST', '/graphql', body, { headers });
    const codes = response.body.errors.map(
      (error: { extensions: { code: string } }) => error.extensions.code,
    );
    expect(codes).toContain('RATE_LIMITED');
    expect(response.headers['retry-after']).toBe('60');
    expect((await validate(key, headers)).status).toBe(429);
    const batch = await app.anonymous('POST', '/graphql', [body, body], { headers });
    expect(batch.status).toBe(400);
  });
});

describe('unknown license keys', () => {
  it('20 a minute, then 429 for every key for 30 s, then for 60 s', async () => {
    const { key } = await app.seed.license();
    const headers = anyone();
    let guess = 0;
    const guessing = () => validate(`NO-SUCH-KEY-${guess++}`, headers);
    const [taken, refused] = await untilRefused(guessing);
    expect([taken, refused.headers['retry-after']]).toEqual([20, '30']);
    expect(refused.body.detail).toBe(
      'Too many unknown license keys came from this address; try again in 30 s',
    );
    expect((await validate(key, headers)).status).toBe(429);
    expect((await validate(key, anyone())).status).toBe(200);
    app.clock.advance(30_000);
    expect((await validate(key, headers)).status).toBe(200);
    // The same minute is not over: the next wrong guess is one too many.
    expect((await guessing()).body.code).toBe('NOT_FOUND');
    expect((await validate(key, headers)).headers['retry-after']).toBe('60');
  });

  it('are the same by checkout, download, variables and GraphQL', async () => {
    const headers = anyone();
    const sends: Send[] = [
      () => app.anonymous('POST', '/licenses/checkout', { license_key: 'NO-SUCH-1' }, { headers }),
      () => app.anonymous('POST', '/downloads/issue', { license_key: 'NO-SUCH-2', file: 'x' }, { headers }),
      () => app.anonymous('GET', '/variables/user?license_key=NO-SUCH-3', undefined, { headers }),
      () => {
        const query = 'mutation { validateLicense(input: { key: "NO-SUCH-4" }) { code } }';
        return app.anonymous('POST', '/graphql', { query }, { headers });
      },
    ];
    for (let sent = 0; sent < 20; sent++) {
      const response = await sends[sent % 4]?.();
      expect(response?.text).toMatch(/NOT_FOUND/);
    }
    for (const send of sends) expect((await send()).text).toMatch(/RATE_LIMITED/);
  });
});

describe('wrong API keys', () => {
  const wrong = 'lsk_00000000_0000000000000000000000000000000000000000000';

  it('10 a minute from one address, then 429 on every road but for keys that were good before', async () => {
    const headers = anyone();
    const known = restClient(app.url, app.apiKey);
    expect((await known('GET', '/products', undefined, { headers })).status).toBe(200);
    const fresh = await app.restAs('licensing:read');
    const stranger = restClient(app.url, wrong);
    const [taken, refused] = await untilRefused(() => stranger('GET', '/products', undefined, { headers }));
    expect([taken, refused.headers['retry-after']]).toEqual([10, '30']);
    const botStranger = restClient(app.botUrl, wrong);
    expect((await botStranger('GET', '/api/modules', undefined, { headers })).status).toBe(429);
    const graphql = { query: '{ __typename }' };
    expect(
      (await stranger('POST', '/graphql', graphql, { headers })).body.errors[0].extensions,
    ).toMatchObject({
      code: 'RATE_LIMITED',
      status: 429,
    });
    expect((await fresh('GET', '/products', undefined, { headers })).status).toBe(429);
    expect((await fresh('GET', '/products', undefined, { headers: anyone() })).status).toBe(200);
    expect((await known('GET', '/products', undefined, { headers })).status).toBe(200);
  });

  it('count by WebSocket and event stream, too', async () => {
    const operation = { query: 'subscription { jobChanged { __typename } }' };
    const ends: unknown[] = [];
    for (let sent = 0; sent < 12; sent++) {
      const road = sent % 2 === 0 ? byWebsocket : byEventStream;
      ends.push(await road(app, wrong, operation).ended);
    }
    const [socket, stream] = ends.splice(-2);
    expect(socket).toMatchObject({ code: 1013, reason: 'RATE_LIMITED' });
    expect(stream).toMatchObject({ response: { status: 429 } });
    for (const [sent, end] of ends.entries())
      expect(end).toMatchObject(sent % 2 === 0 ? { code: 4401 } : { response: { status: 401 } });
  });

  it('X-Forwarded-For of an untrusted peer opens no lock', async () => {
    const direct = await startApp({ databaseUrl: app.databaseUrl, env: { LIMITS_ENABLED: 'true' } });
    const stranger = restClient(direct.url, wrong);
    const [taken] = await untilRefused(() => stranger('GET', '/products', undefined, { headers: anyone() }));
    expect(taken).toBe(10);
  });
});

describe('the other classes', () => {
  it('429 by endpoint after its quota; whose windows end', async () => {
    const { key } = await app.seed.license();
    const session = async () => (await validate(key, anyone())).body.session.token as string;
    const token = await session();
    const here = anyone();
    const cases: readonly (readonly [number, string, Send])[] = [
      [30, 'heartbeat', () => app.anonymous('POST', '/sessions/heartbeat', { token }, { headers: anyone() })],
      [
        10,
        'downloads-issue',
        () =>
          app.anonymous(
            'POST',
            '/downloads/issue',
            { license_key: key, file: 'none' },
            { headers: anyone() },
          ),
      ],
      [60, 'download', () => app.anonymous('GET', '/download/none', undefined, { headers: here })],
      [
        60,
        'user-variables',
        () => app.anonymous('GET', `/variables/user?license_key=${key}`, undefined, { headers: anyone() }),
      ],
      [60, 'marketplace', () => app.anonymous('POST', '/marketplace/webhook', {}, { headers: here })],
      [
        120,
        'bot',
        () => restClient(app.botUrl, undefined)('GET', '/api/status', undefined, { headers: here }),
      ],
    ];
    for (const [quota, policy, send] of cases) {
      const [taken, refused] = await untilRefused(send);
      expect([policy, taken, refused.body.code]).toEqual([policy, quota, 'RATE_LIMITED']);
      expect(refused.headers['ratelimit']).toMatch(new RegExp(`^"${policy}";r=0;`));
    }
    app.clock.advance(60_000);
    for (const [, policy, send] of cases) expect([policy, (await send()).status]).not.toEqual([policy, 429]);
    expect((await app.rest('GET', '/metrics')).text).toMatch(
      /licensing_requests_limited_total\{policy="heartbeat"\} [1-9]/,
    );
  });

  it('an answer that is replayed counts, too', async () => {
    const { key } = await app.seed.license();
    const headers = { ...anyone(), 'idempotency-key': 'again' };
    const first = await validate(key, headers);
    expect(first.headers['ratelimit']).toMatch(/^"validate";r=59;/);
    const again = await validate(key, headers);
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    expect(again.headers['ratelimit']).toMatch(/^"admin";r=1198;/);
  });

  it('1200 a minute with one API key, by REST and GraphQL together, each root field counted', async () => {
    const key = await app.restAs('licensing:read');
    const fields = Array.from({ length: 20 }, (_, n) => `a${n}: products { totalCount }`);
    const twenty = { query: `{ ${fields.join(' ')} }` };
    for (let sent = 0; sent < 59; sent++) expect((await key('POST', '/graphql', twenty)).status).toBe(200);
    const [taken, refused] = await untilRefused(() => key('GET', '/products'));
    expect([taken, refused.headers['ratelimit']]).toEqual([20, '"admin";r=0;t=60']);
    const graphql = await key('POST', '/graphql', twenty);
    expect([graphql.status, graphql.body.errors[0].extensions.code]).toEqual([429, 'RATE_LIMITED']);
    expect((await app.rest('GET', '/products')).status).toBe(200);
  });
});
