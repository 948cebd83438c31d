import { once } from 'node:events';
import { createClient as createStreamClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import WebSocket from 'ws';
import type { TestApp } from './app.js';
import { closeAfterwards } from './database.js';
import { until } from './embedded-postgres-kit.js';

/** A subscription under way, by whichever road. */
export interface Subscription {
  /** Every result so far. Tests assert on their members, so they are loose. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test names the members it expects
  readonly results: any[];
  /** What ended it: an error, a close event, or undefined for `complete`. Undefined too while it goes on. */
  end(): unknown;
  readonly ended: Promise<unknown>;
  stop(): void;
}

interface Operation {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

type Where = Pick<TestApp, 'url'>;

/** By the clients that users use, which try nothing again here, so that a test sees each end. */
export function byWebsocket({ url }: Where, apiKey: string | undefined, operation: Operation): Subscription {
  const client = createSocketClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    ...(apiKey === undefined ? {} : { connectionParams: { authorization: `Bearer ${apiKey}` } }),
  });
  return watch((sink) => client.subscribe(operation, sink));
}

export function byEventStream(
  { url }: Where,
  apiKey: string | undefined,
  operation: Operation,
): Subscription {
  const client = createStreamClient({
    url: `${url}/graphql/stream`,
    retryAttempts: 0,
    ...(apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } }),
  });
  return watch((sink) => client.subscribe(operation, sink));
}

export const ROADS = [
  ['a WebSocket', byWebsocket],
  ['an event stream', byEventStream],
] as const;

interface Sink {
  next(result: unknown): void;
  error(error: unknown): void;
  complete(): void;
}

function watch(subscribe: (sink: Sink) => () => void): Subscription {
  const results: unknown[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  let end: unknown;
  const settle = (reason: unknown) => {
    end = reason;
    resolve(reason);
  };
  const stop = subscribe({
    next: (result) => results.push(result),
    error: settle,
    complete: () => {
      settle(undefined);
    },
  });
  closeAfterwards(() => {
    stop();
    return Promise.resolve();
  });
  return { results, end: () => end, ended, stop };
}

/** Waits until transactions notify for a topic: then no change that follows is missed. */
export async function untilLive(app: TestApp, topic: string): Promise<void> {
  const query = 'select 1 from live_topic where topic = $1 and expires_at > clock_timestamp()';
  await until(async () => (await app.sql(query, [topic])).length > 0);
}

/** A bare WebSocket to the server, for what no client would do. */
export async function openSocket(
  { url }: Where,
  path = '/graphql',
  options: WebSocket.ClientOptions = {},
): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws') + path, 'graphql-transport-ws', options);
  closeAfterwards(() => {
    socket.terminate();
    return Promise.resolve();
  });
  await once(socket, 'open');
  return socket;
}

/** The code and reason with which the other side closes. */
export async function closeOf(socket: WebSocket): Promise<[code: number, reason: string]> {
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  return [code, reason.toString()];
}
