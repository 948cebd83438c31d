import assert from 'node:assert/strict';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient as createStreamClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import WebSocket from 'ws';
import { restClient } from '../support/rest.js';
import type { Deployment } from './contract-pass.js';
import { SHARED } from './programs.js';
import type { Gateway } from './programs.js';
import { tell, until } from './stage.js';

/** Something that is told as it happens. */
interface Stream {
  readonly name: string;
  readonly about: 'seats' | 'console';
  /** What came so far: each text holds what an event is known by. */
  readonly events: string[];
  readonly hasEnded: () => boolean;
  end(): void;
}

const KEY = 'STREAMED';
/** Of each road, so that some meet the other gateway. */
const EACH = 3;
/** Longer than the proxy's patience with everything else, as the experiment sets it. */
const SILENCE_MS = 2_500;
/** What is kept back in a buffer comes late, or never. */
const LATE_MS = 1_000;
const BEARER = { authorization: `Bearer ${SHARED.API_KEY}` };
const QUERY = `subscription { sessionChanged(license: "${KEY}") { change identifier } }`;

/**
 * Opens every kind of stream through the proxy, some of each, is silent for longer than the proxy waits for anything else,
 * and has either gateway cause an event: each stream must tell of each, at once, whichever gateway it is connected to.
 */
export async function streamsThrough(
  proxy: Deployment,
  gateways: readonly [Gateway, Gateway],
): Promise<void> {
  const created = await restClient(proxy.url, SHARED.API_KEY)('POST', '/licenses', { key: KEY });
  assert.equal(created.status, 201, created.text);
  const streams = Array.from({ length: EACH }, () => [
    byWebsocket(proxy.url),
    byEventStream(proxy.url),
    byConsole(`${proxy.botUrl}/api/logs/stream?level=info`),
  ]).flat();
  try {
    await until('every stream is connected to one of the gateways', async () => {
      const counts = await Promise.all(gateways.map(connections));
      return counts.reduce((sum, count) => sum + count, 0) === streams.length;
    });
    const [one = 0, other = 0] = await Promise.all(gateways.map(connections));
    assert(one > 0 && other > 0, `one gateway has all streams: ${one} and ${other}`);
    await delay(SILENCE_MS);
    let slowest = 0;
    for (const [n, gateway] of gateways.entries()) {
      slowest = Math.max(slowest, await toldTo(streams, 'seats', gateway, n));
      slowest = Math.max(slowest, await toldTo(streams, 'console', gateway, n));
    }
    const ended = streams.filter(({ hasEnded }) => hasEnded()).map(({ name }) => name);
    assert.deepEqual(ended, [], 'streams that ended');
    tell(
      `streams through nginx: ${EACH} WebSockets, ${EACH} GraphQL event streams, ${EACH} of the bot's console; ` +
        `${one} on one gateway, ${other} on the other, silent for ${SILENCE_MS} ms`,
    );
    tell(`each told of what either gateway did, the slowest after ${Math.ceil(slowest)} ms`);
  } finally {
    for (const stream of streams) stream.end();
  }
}

/** Causes an event by the gateway, and waits for it on all streams that it concerns. Milliseconds. */
async function toldTo(
  streams: readonly Stream[],
  about: Stream['about'],
  gateway: Gateway,
  n: number,
): Promise<number> {
  const begin = performance.now();
  const mark = await CAUSES[about](gateway, n);
  const concerned = streams.filter((stream) => stream.about === about);
  const missing = () => concerned.filter(({ events }) => !events.some((event) => event.includes(mark)));
  await until(`'${mark}' comes on every stream`, () => missing().length === 0, 20).catch(() => {
    const names = missing().map(({ name }) => name);
    assert.deepEqual(names, [], `streams that didn't tell: ${mark}`);
  });
  const took = performance.now() - begin;
  assert(took < LATE_MS, `'${mark}' took ${took} ms`);
  return took;
}

/** Each resolves to what its event is known by. */
const CAUSES = {
  seats: async ({ url }: Gateway, n: number) => {
    const identifier = `seat-by-${n + 1}`;
    const rest = restClient(url, undefined);
    const { text } = await rest('POST', '/licenses/validate', { license_key: KEY, identifier });
    assert(text.includes('"VALID"'), text);
    return identifier;
  },
  // The bot says so in its console, in a process of its own.
  console: async ({ botPort }: Gateway, n: number) => {
    const id = n === 0 ? 'utility' : 'welcome';
    const rest = restClient(`http://127.0.0.1:${botPort}`, SHARED.AUTH_SECRET);
    for (const enabled of [false, true]) {
      const { status, text } = await rest('POST', '/api/modules/toggle', { id, enabled });
      assert.equal(status, 200, text);
    }
    return `The module ${id} is enabled`;
  },
} as const;

function byWebsocket(url: string): Stream {
  const client = createSocketClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: BEARER,
  });
  return watch('WebSocket', (sink) => client.subscribe({ query: QUERY }, sink));
}

function byEventStream(url: string): Stream {
  const client = createStreamClient({ url: `${url}/graphql/stream`, retryAttempts: 0, headers: BEARER });
  return watch('event stream', (sink) => client.subscribe({ query: QUERY }, sink));
}

interface Sink {
  next(result: unknown): void;
  error(error: unknown): void;
  complete(): void;
}

function watch(name: string, subscribe: (sink: Sink) => () => void): Stream {
  const events: string[] = [];
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  const end = subscribe({
    next: (result) => events.push(JSON.stringify(result)),
    error: over,
    complete: over,
  });
  return { name, about: 'seats', events, hasEnded: () => isOver, end };
}

function byConsole(url: string): Stream {
  const events: string[] = [];
  let isOver = false;
  const req = request(url, { headers: { authorization: `Bearer ${SHARED.AUTH_SECRET}` } }, (res) => {
    res.on('data', (chunk: Buffer) => events.push(chunk.toString()));
    res.on('close', () => {
      isOver = true;
    });
  });
  req.on('error', () => {
    isOver = true;
  });
  req.end();
  return { name: 'console', about: 'console', events, hasEnded: () => isOver, end: () => req.destroy() };
}

/** How many streams a gateway has. */
async function connections({ url }: Gateway): Promise<number> {
  const { text } = await restClient(url, SHARED.API_KEY)('GET', '/metrics');
  const lines = text.matchAll(/^licensing_subscription_connections\{[^}]*\} (\d+)$/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}
