import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createMetrics } from '../../src/platform/metrics.js';
import { createHardenedServer } from '../../src/platform/rest/hardened-server.js';
import { operationsApp } from '../../src/platform/rest/operations-app.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { closeAfterwards } from '../support/database.js';
import { until } from '../support/embedded-postgres-kit.js';
import { logLines } from '../support/log-lines.js';
import { restClient } from '../support/rest.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

interface Raw {
  readonly socket: Socket;
  /** What the server has said, once it has hung up. */
  readonly last: Promise<string>;
}

/** A connection on which anything can be said. */
function speak(url: string, words: string): Raw {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  closeAfterwards(() => {
    socket.destroy();
    return Promise.resolve();
  });
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  socket.on('error', () => undefined);
  socket.write(words);
  return { socket, last: once(socket, 'close').then(() => heard) };
}

function parse(raw: string) {
  const [head = '', text = ''] = raw.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(lines.map((each) => each.toLowerCase().split(': ') as [string, string]));
  return { status: Number(line.split(' ')[1]), headers, body: JSON.parse(text) as Record<string, unknown> };
}

const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
};

describe('what Node would answer for itself is a problem document, and ends the connection', () => {
  const cases: readonly (readonly [number, string, string])[] = [
    [431, 'HEADERS_TOO_LARGE', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    [431, 'HEADERS_TOO_LARGE', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    [400, 'MALFORMED_REQUEST', 'HELO licensing\r\n\r\n'],
    [
      400,
      'MALFORMED_REQUEST',
      'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    [400, 'MALFORMED_REQUEST', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    [
      413,
      'BODY_TOO_LARGE',
      `POST /licenses/validate HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}`,
    ],
    [417, 'EXPECTATION_FAILED', 'POST /products HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n'],
  ];

  it.each(cases)('%i %s', async (status, code, words) => {
    for (const url of [app.url, app.botUrl]) {
      const answer = parse(await speak(url, words).last);
      expect(answer).toMatchObject({ status, body: { status, code }, headers: EVERYWHERE });
      expect(answer.headers).toMatchObject({
        'content-type': 'application/problem+json; charset=utf-8',
        connection: 'close',
      });
      expect(answer.body['request_id']).toBe(answer.headers['x-request-id']);
    }
  });

  it('408 REQUEST_TIMEOUT for headers that never end, and for a body that never does; others are served meanwhile', async () => {
    const env = { SERVER_HEADERS_TIMEOUT: '1', SERVER_REQUEST_TIMEOUT: '2' };
    const hasty = await startApp({ databaseUrl: app.databaseUrl, env });
    const slow = [
      speak(hasty.url, 'GET /products HTTP/1.1\r\nHost: a\r\nX-Drip: '),
      speak(
        hasty.url,
        'POST /products HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
      ),
      speak(
        hasty.url,
        'POST /licenses/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
      ),
      speak(hasty.botUrl, 'GET'),
    ];
    // Where nothing gets to run for a second, an honest request may be late, too.
    await until(async () => (await hasty.rest('GET', '/products')).status === 200);
    const [headers, refused, body, bot] = await Promise.all(slow.map(({ last }) => last));
    for (const raw of [headers, body, bot])
      expect(parse(raw ?? '')).toMatchObject({
        status: 408,
        body: { code: 'REQUEST_TIMEOUT' },
        headers: EVERYWHERE,
      });
    // Who has no key is told so before the body.
    expect(refused).toMatch(/^HTTP\/1\.1 (401|408) /);
  });
});

describe('one server, without the rest', () => {
  const listening = async (options: { connectionsMax?: number; idleMs?: number }) => {
    const endless = (_req: unknown, res: NodeJS.WritableStream) => {
      const more = () => {
        while (res.write(Buffer.alloc(65_536))) continue;
        res.once('drain', more);
      };
      more();
    };
    const server = createHardenedServer(
      { headersTimeoutSeconds: 60, requestTimeoutSeconds: 60, connectionsMax: 0, ...options },
      endless,
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closeAfterwards(() => {
      server.closeAllConnections();
      server.close();
      return Promise.resolve();
    });
    const count = () =>
      new Promise<number>((resolve) => {
        server.getConnections((_error, connections) => {
          resolve(connections);
        });
      });
    return { count, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };

  it('hangs up on the connection beyond connectionsMax, and takes another when one has gone', async () => {
    const { count, url } = await listening({ connectionsMax: 2 });
    const [first, second] = [speak(url, 'GET'), speak(url, 'GET')];
    await until(async () => (await count()) === 2);
    expect(await speak(url, 'GET').last).toBe('');
    expect([first.socket.destroyed, second.socket.destroyed]).toEqual([false, false]);
    first.socket.destroy();
    await until(async () => (await count()) === 1);
    const third = speak(url, 'GET');
    await until(async () => (await count()) === 2);
    expect(third.socket.destroyed).toBe(false);
  });

  it('cuts a client that reads nothing for idleMs', async () => {
    const { count, server, url } = await listening({ idleMs: 200 });
    const accepted = once(server, 'connection');
    // What it does not read fills every buffer on the way, and nothing moves any more.
    speak(url, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n').socket.pause();
    await accepted;
    await until(async () => (await count()) === 0);
  });
});

describe('every response', () => {
  it('carries the same headers: answers, errors, health, metrics, GraphQL, files, the port for operations', async () => {
    const readiness = () => Promise.resolve({ ready: true });
    const operations = createHardenedServer(
      { headersTimeoutSeconds: 60, requestTimeoutSeconds: 60, connectionsMax: 0 },
      operationsApp({ metrics: createMetrics(), readiness, log: logLines().log }),
    ).listen(0, '127.0.0.1');
    await once(operations, 'listening');
    closeAfterwards(() => {
      operations.close();
      return Promise.resolve();
    });
    const ops = restClient(`http://127.0.0.1:${(operations.address() as AddressInfo).port}`, undefined);
    const { key } = await app.seed.license();
    const responses = [
      await app.rest('GET', '/products'),
      await app.anonymous('POST', '/licenses/validate', { license_key: key }),
      await app.anonymous('POST', '/licenses/validate', undefined, {
        raw: '{',
        headers: { 'content-type': 'application/json' },
      }),
      await app.anonymous('GET', '/products'),
      await app.anonymous('GET', '/nothing/here'),
      await app.anonymous('GET', '/download/no-such-token'),
      await app.anonymous('GET', '/health/live'),
      await app.anonymous('GET', '/health/ready'),
      await app.rest('GET', '/metrics'),
      await app.rest('POST', '/graphql', { query: '{ __typename }' }),
      await app.rest('POST', '/graphql', { query: '{' }),
      await app.anonymous('GET', '/graphql/stream'),
      await app.rest('OPTIONS', '/products'),
      await app.bot('GET', '/api/status'),
      await app.bot('GET', '/api/nothing'),
      await ops('GET', '/metrics'),
      await ops('GET', '/health/live'),
      await ops('GET', '/nothing'),
    ];
    for (const { headers } of responses) expect(headers).toMatchObject(EVERYWHERE);
    for (const { headers } of responses) expect(headers).not.toHaveProperty('x-powered-by');
  });
});

describe('bounds of a URL', () => {
  it('414 URL_TOO_LONG beyond 2048 characters; an operation in the URL of /graphql may be longer', async () => {
    const long = 'x'.repeat(2_100);
    const response = await app.rest('GET', `/products?name=${long}`);
    expect([response.status, response.body.code]).toEqual([414, 'URL_TOO_LONG']);
    expect((await app.rest('GET', `/graphqls?query=${long}`)).status).toBe(414);
    const query = encodeURIComponent(`{ __typename } # ${long}`);
    const headers = { 'apollo-require-preflight': 'true' };
    expect((await app.rest('GET', `/graphql?query=${query}`, undefined, { headers })).status).toBe(200);
  });
});

describe('what an answer never says', () => {
  it('no stack, path of ours, SQL or secret, on any road, however hostile the request', async () => {
    const token = 'A'.repeat(43);
    const nasty = [
      "'; drop table license; --",
      '\u0000',
      '{"__proto__": {"a": 1}}',
      '%00',
      '../../etc/passwd',
      '$(id)',
    ];
    const answers: string[] = [];
    for (const value of nasty) {
      const encoded = encodeURIComponent(value);
      for (const response of [
        await app.anonymous('POST', '/licenses/validate', {
          license_key: value,
          identifier: value,
          nonce: value,
        }),
        await app.anonymous('POST', '/licenses/checkout', { license_key: value, lifetime: value }),
        await app.anonymous('POST', '/sessions/heartbeat', { token: value }),
        await app.anonymous('POST', '/downloads/issue', { license_key: value, file: value }),
        await app.anonymous('GET', `/download/${encoded}`),
        await app.anonymous('GET', `/variables/user?license_key=${encoded}`),
        await app.anonymous('POST', '/marketplace/webhook', { secret: value }),
        await app.rest('GET', `/logs?type=${encoded}`),
        await app.rest('GET', `/products?limit=5&cursor=${encoded}`),
        await app.rest('POST', '/products', { name: value, addons: value }),
        await app.rest('POST', '/rules', { name: value, type: 'header', config: value }),
        await app.rest('POST', '/graphql', { query: value, variables: value, operationName: value }),
        await app.rest('POST', '/graphql', {
          query: '{ products(after: $a) { totalCount } }',
          variables: { a: value },
        }),
        await app.bot('POST', '/api/modules/toggle', { id: value, enabled: value }),
        await app.bot('GET', `/api/logs?after=${encoded}`),
        await app.anonymous('POST', '/licenses/validate', undefined, {
          raw: value,
          headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
        }),
      ]) {
        expect([response.status, response.text]).not.toEqual([500, expect.anything()]);
        answers.push(response.text);
      }
    }
    const all = answers.join('\n');
    expect(all).not.toMatch(
      /\bat \S+ \(|node_modules|\.[jt]s:\d|\bselect\b.+\bfrom\b|\binsert into\b|pg_|relation "/i,
    );
    expect(all).not.toContain(app.apiKey);

    const gone = await app.anonymous('GET', `/download/${token}`);
    expect(gone.body).toMatchObject({ status: 404, instance: '/download/…' });
    for (const path of [`/download/${token}/more`, `/download/${token}%`]) {
      const response = await app.anonymous('DELETE', path);
      expect(response.status).toBeLessThan(500);
      expect(response.text).not.toContain(token);
    }
  });
});
