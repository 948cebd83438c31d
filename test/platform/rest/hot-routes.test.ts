import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startApp } from '../../support/app.js';
import type { TestApp } from '../../support/app.js';
import type { RestResponse } from '../../support/rest.js';

let app: TestApp;
let key: string;
let token: string;

beforeAll(async () => {
  app = await startApp({ env: { LIMITS_ENABLED: 'false' } });
  await app.seed.product({ name: 'Acme' });
  ({ key } = await app.seed.license({ product: 'Acme' }));
  await app.rest('POST', '/variables', { key: 'greeting', value: 'grüß dich' });
  const { body } = await app.anonymous('POST', '/licenses/validate', { license_key: key, identifier: 'one' });
  token = (body as { session: { token: string } }).session.token;
});

/** Two ways of saying the same: the first is taken by the hot routes, the second is unusual enough for the general way. */
const TYPES = { hot: 'application/json', general: 'application/json; charset="utf-8"' };

async function bothWays(path: string, raw: string | Buffer, more: Record<string, string> = {}) {
  const send = (type: string) =>
    app.anonymous('POST', path, undefined, {
      raw,
      headers: { 'content-type': type, 'x-request-id': 'the-same', ...more },
    });
  return [shown(await send(TYPES.hot)), shown(await send(TYPES.general))];
}

function shown({ status, text, headers: { date: _date, ...headers } }: RestResponse) {
  return { status, text, headers };
}

describe('a hot route answers as the general way does', () => {
  const bodies = (): [string, string | Buffer][] => [
    ['a valid license', JSON.stringify({ license_key: key, identifier: 'one' })],
    ['an unknown key', JSON.stringify({ license_key: 'NO-SUCH-KEY', nonce: 'n-1' })],
    ['a signed verdict', JSON.stringify({ license_key: key, identifier: 'one', nonce: 'n-2' })],
    ['further members', JSON.stringify({ license_key: key, identifier: 'one', hwid: 'a', __proto: 1 })],
    ['another product', JSON.stringify({ license_key: key, product: 'Other', version: '1.0' })],
    ['a key of the wrong type', JSON.stringify({ license_key: 5 })],
    ['no key', '{}'],
    ['a heartbeat', JSON.stringify({ token })],
    ['a byte order mark', `\ufeff${JSON.stringify({ license_key: key, identifier: 'one', token })}`],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['half a body', '{"license_key": "A'],
    ['an array', '[]'],
    ['null', 'null'],
    ['text', '"text"'],
    ['a deep value', `${'['.repeat(200)}${']'.repeat(200)}`],
    ['too deep a member', `{"license_key":"a","x":${'['.repeat(200)}${']'.repeat(200)}}`],
    ['a number that JSON lacks', '{"license_key": NaN}'],
    ['nothing', ''],
    ['too much', JSON.stringify({ license_key: 'a'.repeat(70_000) })],
    ['U+0000', JSON.stringify({ license_key: 'a\u0000b', token: 'a\u0000b' })],
  ];

  it.each(['/licenses/validate', '/sessions/heartbeat'])('POST %s, whatever the body is', async (path) => {
    for (const [name, raw] of bodies()) {
      const [hot, general] = await bothWays(path, raw);
      expect([name, hot]).toEqual([name, general]);
    }
  });

  it('POST /licenses/validate, with any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const [hot, general] = await bothWays('/licenses/validate', JSON.stringify(value));
        expect(hot).toEqual(general);
      }),
      { numRuns: 50 },
    );
  });

  it('POST /licenses/validate 401 with a credential that is none', async () => {
    const [hot, general] = await bothWays('/licenses/validate', '{}', { authorization: 'Bearer nobody' });
    expect(hot).toMatchObject({ status: 401 });
    expect(hot).toEqual(general);
  });
});

describe('a hot route leaves the same behind', () => {
  it('a row of the request log, and a time in the metrics', async () => {
    await app.flush();
    await app.sql('truncate request_log');
    const timed = async () => {
      const { text } = await app.rest('GET', '/metrics');
      const line =
        'licensing_http_request_duration_seconds_count{method="POST",route="/licenses/validate",code="200"} ';
      return Number(
        text
          .split('\n')
          .find((each) => each.startsWith(line))
          ?.slice(line.length),
      );
    };
    const before = await timed();
    await bothWays('/licenses/validate', JSON.stringify({ license_key: key, identifier: 'one' }));
    await app.flush();
    const rows = await app.sql(
      `select request_id, method, path, status, code, license, product, ip, agent from request_log where path <> '/metrics'`,
    );
    expect(rows).toHaveLength(2);
    expect(rows[0]).toEqual(rows[1]);
    expect(rows[0]).toMatchObject({ path: '/licenses/validate', code: 'VALID', product: 'Acme' });
    expect(await timed()).toBe(before + 2);
  });
});
