import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import type { RestResponse } from '../support/rest.js';

/*
 * Fields with a limit of their own aren't reached by requests that are refused ahead of them: those count for their
 * caller.
 */

const QUOTA = 3;
let app: TestApp;
let key: string;
let addresses = 0;

beforeAll(async () => {
  app = await startApp({
    env: { LIMITS_ENABLED: 'true', SERVER_TRUSTED_PROXIES: '127.0.0.1', LIMITS_ADMIN: String(QUOTA) },
  });
  ({ key } = await app.seed.license());
});

type Headers = Record<string, string>;
type Send = (headers: Headers) => Promise<RestResponse>;

const post =
  (path: string, body: unknown): Send =>
  (headers) =>
    app.anonymous('POST', path, body, { headers });
const raw =
  (path: string, text: string): Send =>
  (headers) => {
    const all = { ...headers, 'content-type': 'application/json' };
    return app.anonymous('POST', path, undefined, { raw: text, headers: all });
  };
/** The general way, for routes that have a short one. */
const compressed =
  (path: string, body: string): Send =>
  (headers) => {
    const all = { ...headers, 'content-type': 'application/json', 'content-encoding': 'identity' };
    return app.anonymous('POST', path, undefined, { raw: body, headers: all });
  };

describe('what is refused ahead of a field with a limit of its own counts for the caller', () => {
  it.each<[string, number, Send]>([
    ['a member of the wrong type', 422, post('/licenses/validate', { license_key: 7 })],
    ['a member that is missing', 422, post('/sessions/heartbeat', {})],
    ['an unknown member, of a route without a short way', 422, post('/downloads/issue', { colour: 'red' })],
    ['no JSON, by the short way', 400, raw('/licenses/validate', '{')],
    ['no object, by the short way', 422, raw('/sessions/heartbeat', '[]')],
    ['no JSON, by the general way', 400, compressed('/licenses/validate', '{')],
    ['no object, by the general way', 422, compressed('/sessions/heartbeat', '[]')],
    [
      'no JSON type',
      415,
      (headers) =>
        app.anonymous('POST', '/licenses/checkout', undefined, {
          raw: 'x',
          headers: { ...headers, 'content-type': 'text/plain' },
        }),
    ],
    [
      'an unknown parameter',
      400,
      (headers) => app.anonymous('GET', '/variables/user?colour=red', undefined, { headers }),
    ],
    ['what is no GraphQL', 400, post('/graphql', { query: '{' })],
    ['no body for GraphQL', 400, compressed('/graphql', '{')],
  ])('%s: %i, then 429', async (_what, status, send) => {
    addresses++;
    const headers = { 'x-forwarded-for': `198.51.100.${addresses}` };
    const first = await send(headers);
    expect([first.status, first.headers['ratelimit']]).toEqual([status, `"admin";r=${QUOTA - 1};t=60`]);
    for (let sent = 1; sent < QUOTA; sent++) expect((await send(headers)).status).toBe(status);
    const refused = await send(headers);
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('RATE_LIMITED')]);
    // What reaches its field has that one's quota.
    const validated = await post('/licenses/validate', { license_key: key })(headers);
    expect([validated.status, validated.headers['ratelimit']]).toEqual([200, '"validate";r=59;t=60']);
  });

  it('what the field itself refuses counts there alone', async () => {
    const headers = { 'x-forwarded-for': '198.51.101.1' };
    const beat = post('/sessions/heartbeat', { token: 'none' });
    for (let sent = 0; sent <= QUOTA; sent++) expect((await beat(headers)).status).toBe(404);
  });
});
