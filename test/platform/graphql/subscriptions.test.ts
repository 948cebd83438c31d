import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type WebSocket from 'ws';
import { startApp } from '../../support/app.js';
import type { TestApp } from '../../support/app.js';
import { until } from '../../support/embedded-postgres-kit.js';
import {
  ROADS,
  byEventStream,
  byWebsocket,
  closeOf,
  openSocket,
  untilLive,
} from '../../support/subscriptions.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ keyCheckMs: 50 });
});

const QUERY = 'subscription { sessionChanged { change } }';

async function issueKey(scopes: string[]): Promise<{ key: string; keyId: string }> {
  const { data } = await app.graphql(
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { plain record { keyId } } }',
    { input: { name: 'subscriber', scopes } },
  );
  return { key: data.createApiKey.plain as string, keyId: data.createApiKey.record.keyId as string };
}

const stream = (body: unknown, headers: Record<string, string> = {}) =>
  app.rest('POST', '/graphql/stream', body, { headers });

/** Sends a message and gives the next one that comes. */
async function ask(socket: WebSocket, message: unknown): Promise<Record<string, unknown>> {
  const answer = once(socket, 'message');
  socket.send(JSON.stringify(message));
  return JSON.parse(String((await answer)[0])) as Record<string, unknown>;
}

async function acknowledged(options = {}): Promise<WebSocket> {
  const socket = await openSocket(app, '/graphql', options);
  const payload = { authorization: `Bearer ${app.apiKey}` };
  expect(await ask(socket, { type: 'connection_init', payload })).toEqual({ type: 'connection_ack' });
  return socket;
}

const WRONG: [what: string, query: string, code: string][] = [
  ['text that is no GraphQL', 'subscription {', 'GRAPHQL_PARSE_FAILED'],
  ['a field that there is not', 'subscription { sessionChanged { colour } }', 'GRAPHQL_VALIDATION_FAILED'],
  [
    'two fields at once',
    'subscription { a: sessionChanged { at } b: sessionChanged { at } }',
    'GRAPHQL_VALIDATION_FAILED',
  ],
  ['a query', '{ sessions { totalCount } }', 'OPERATION_RESOLUTION_FAILURE'],
  ['a mutation', 'mutation { revokeSessions { cleared } }', 'OPERATION_RESOLUTION_FAILURE'],
  [
    'more than 12 levels',
    `subscription { sessionChanged { license { ${'user { licenses { '.repeat(6)} id ${'} } '.repeat(6)} } } }`,
    'QUERY_TOO_COMPLEX',
  ],
  [
    'more than 20 aliases of a field',
    `subscription { sessionChanged { ${Array.from({ length: 21 }, (_, n) => `a${n}: at`).join(' ')} } }`,
    'QUERY_TOO_COMPLEX',
  ],
  [
    'what costs too much',
    'subscription { sessionChanged { license { user { licenses(first: 500) { user { licenses(first: 500) { id } } } } } } }',
    'QUERY_TOO_COMPLEX',
  ],
  [
    'a variable of another type',
    'subscription ($l: String) { sessionChanged(license: $l) { at } }',
    'INVALID_FIELD',
  ],
];

describe('an operation that is refused', () => {
  it.each(WRONG)('by an event stream, with status and code: %s', async (_what, query, code) => {
    const { status, body } = await stream({ query, variables: { l: { a: 1 } } });
    expect(body.errors[0].extensions).toMatchObject({ code, request_id: expect.any(String) });
    expect(body.errors[0].extensions).not.toHaveProperty('http');
    expect(status).toBe(code === 'INVALID_FIELD' ? 422 : 400);
  });

  it.each(WRONG)(
    'by a WebSocket, with its code, and the connection goes on: %s',
    async (_what, query, code) => {
      const socket = await acknowledged();
      const payload = { query, variables: { l: { a: 1 } } };
      expect(await ask(socket, { id: '1', type: 'subscribe', payload })).toMatchObject({
        ...{ id: '1', type: 'error' },
        payload: [{ extensions: { code, request_id: expect.any(String) } }],
      });
      expect(await ask(socket, { type: 'ping' })).toEqual({ type: 'pong' });
    },
  );

  it('403 INSUFFICIENT_SCOPE: a key without licensing:read, and nothing is subscribed to', async () => {
    const { key } = await issueKey(['bot:read']);
    const refused = byEventStream(app, key, { query: QUERY });
    expect((await refused.ended) as { response: Response }).toMatchObject({ response: { status: 403 } });
    expect(await byWebsocket(app, key, { query: QUERY }).ended).toMatchObject([
      { extensions: { code: 'INSUFFICIENT_SCOPE' }, path: ['sessionChanged'] },
    ]);
    expect(await app.sql("select 1 from live_topic where topic = 'session'")).toEqual([]);
  });
});

describe('/graphql/stream', () => {
  it.each([
    [401, 'API_KEY_MISSING', {}],
    [401, 'API_KEY_INVALID', { authorization: 'Bearer wrong' }],
    [401, 'API_KEY_INVALID', { authorization: 'Basic d3Jvbmc=' }],
  ])('%d %s', async (status, code, headers) => {
    const response = await app.anonymous('POST', '/graphql/stream', { query: QUERY }, { headers });
    expect([response.status, response.body.errors[0].extensions.code]).toEqual([status, code]);
    expect(response.headers['www-authenticate']).toBeDefined();
  });

  it.each([{}, { query: 7 }, { query: QUERY, variables: [] }, { query: QUERY, operationName: 7 }])(
    '400 BAD_PARAMETER: %j',
    async (body) => {
      const response = await stream(body);
      expect([response.status, response.body.errors[0].extensions.code]).toEqual([400, 'BAD_PARAMETER']);
    },
  );

  it('405 with Allow; 413 for an operation of more than 64 KiB', async () => {
    const wrong = await app.rest('DELETE', '/graphql/stream');
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, POST']);
    expect((await stream({ query: `${QUERY} #${'x'.repeat(65_536)}` })).status).toBe(413);
  });

  it('GET with the operation in the query; a bad one is 400', async () => {
    const path = (variables: string) =>
      `/graphql/stream?query=${encodeURIComponent('subscription ($l: String) { sessionChanged(license: $l) { at } }')}&variables=${encodeURIComponent(variables)}`;
    expect((await app.rest('GET', path('{'))).body.errors[0].extensions.code).toBe('BAD_PARAMETER');
    const { key } = await app.seed.license();
    const req = request(app.url + path(JSON.stringify({ l: key })), {
      headers: { authorization: `Bearer ${app.apiKey}` },
    }).end();
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    expect(res.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    let text = '';
    res.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await app.anonymous('POST', '/licenses/validate', { license_key: key, identifier: 'got' });
    await until(() => text.includes('event: next'));
    expect(text).toMatch(/^:\n\nevent: next\ndata: {"data":{"sessionChanged":{"at":"[^"]+"}}}\n\n$/);
    req.destroy();
    await until(async () => (await subscribersIn(app)).streams === 0);
  });
});

describe('a WebSocket', () => {
  it('takes the key from the handshake as well, or from connectionParams.Authorization', async () => {
    const authorization = `Bearer ${app.apiKey}`;
    const byHeader = await openSocket(app, '/graphql', { headers: { authorization } });
    expect(await ask(byHeader, { type: 'connection_init' })).toEqual({ type: 'connection_ack' });
    const byParams = await openSocket(app);
    const payload = { Authorization: authorization };
    expect(await ask(byParams, { type: 'connection_init', payload })).toEqual({ type: 'connection_ack' });
  });

  it.each([
    ['API_KEY_MISSING', {}],
    ['API_KEY_INVALID', { authorization: 'Bearer wrong' }],
    ['API_KEY_INVALID', { authorization: 'wrong' }],
    ['API_KEY_MISSING', { authorization: 7 }],
  ])('4401 %s', async (code, payload) => {
    const socket = await openSocket(app);
    socket.send(JSON.stringify({ type: 'connection_init', payload }));
    // Whatever follows before the answer has come is not taken either.
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: QUERY } }));
    const [closeCode, reason] = await closeOf(socket);
    expect(closeCode).toBe(4401);
    expect([code, 'Unauthorized']).toContain(reason);
  });

  it('4401: an operation before the key; 4400: no JSON; 1009: more than 128 KiB', async () => {
    const early = await openSocket(app);
    early.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: QUERY } }));
    expect((await closeOf(early))[0]).toBe(4401);
    const garbled = await openSocket(app);
    garbled.send('{');
    expect((await closeOf(garbled))[0]).toBe(4400);
    const large = await openSocket(app);
    large.send(' '.repeat(128 * 1024 + 1));
    expect((await closeOf(large))[0]).toBe(1009);
  });

  it('51 subscriptions on one connection: the last is refused with LIMIT_REACHED', async () => {
    const socket = await acknowledged();
    const codes: unknown[] = [];
    socket.on('message', (data: Buffer) =>
      codes.push(JSON.parse(data.toString()).payload[0].extensions.code),
    );
    for (let n = 0; n < 51; n++)
      socket.send(JSON.stringify({ id: String(n), type: 'subscribe', payload: { query: QUERY } }));
    await until(() => codes.length > 0);
    expect(codes).toEqual(['LIMIT_REACHED']);
    socket.close();
  });

  it('an upgrade elsewhere, or to another protocol, is a request like any other', async () => {
    await expect(openSocket(app, '/elsewhere')).rejects.toThrow('404');
    await expect(openSocket(app, '/graphql/stream')).rejects.toThrow('401');
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
    expect((await app.rest('GET', '/products', undefined, { headers })).status).toBe(200);
  });
});

/** How many connections and subscriptions the process counts. */
async function subscribersIn({ rest }: TestApp): Promise<{ sockets: number; streams: number }> {
  const { text } = await rest('GET', '/metrics');
  const count = (transport: string) =>
    Number(
      new RegExp(`^licensing_subscription_connections{transport="${transport}"} (\\d+)`, 'm').exec(
        text,
      )?.[1] ?? 0,
    );
  return { sockets: count('websocket'), streams: count('event-stream') };
}

describe.each(ROADS)('%s', (road, subscribe) => {
  it('ends when its API key is revoked, and the others go on', async () => {
    const { key, keyId } = await issueKey(['licensing:read']);
    const license = await app.seed.license();
    const operation = {
      query: 'subscription ($l: String) { sessionChanged(license: $l) { identifier } }',
      variables: { l: license.key },
    };
    const [revoked, kept] = [subscribe(app, key, operation), subscribe(app, app.apiKey, operation)];
    await untilLive(app, `session:${license.id}`);
    await until(async () => {
      const identifier = `knock ${Math.random()}`;
      await app.anonymous('POST', '/licenses/validate', { license_key: license.key, identifier });
      return revoked.results.length > 0 && kept.results.length > 0;
    });
    await app.graphql('mutation ($k: String!) { revokeApiKey(keyId: $k) { keyId } }', { k: keyId });
    const end = await revoked.ended;
    if (road === 'a WebSocket') expect(end).toMatchObject({ code: 4401, reason: 'API_KEY_INVALID' });
    else
      expect(revoked.results.at(-1)).toMatchObject({ errors: [{ extensions: { code: 'API_KEY_INVALID' } }] });
    expect(kept.end()).toBeUndefined();
    expect(kept.results.at(-1)).toHaveProperty('data.sessionChanged');
    kept.stop();
  });

  it('503 once SUBSCRIPTIONS.MAX are open, until one ends', async () => {
    const small = await startApp({ databaseUrl: app.databaseUrl, env: { SUBSCRIPTIONS_MAX: '1' } });
    const first = subscribe(small, app.apiKey, { query: QUERY });
    await until(async () => Object.values(await subscribersIn(small)).some((count) => count === 1));
    await expect(openSocket(small)).rejects.toThrow('503');
    const refused = await small.rest('POST', '/graphql/stream', { query: QUERY });
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '10']);
    first.stop();
    await until(() => openSocket(small).then(Boolean, () => false));
  });
});
