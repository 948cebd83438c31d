import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { Connections } from './connections.js';
import type { ConnectionsOptions } from './connections.js';
import { eventStream } from './event-stream.js';
import type { EventStreamOptions } from './event-stream.js';
import { Turns } from './turns.js';
import { websockets } from './websocket.js';
import type { Upgrade, WebsocketOptions } from './websocket.js';

/** Subscriptions, by both roads. */
export interface Subscriptions {
  /** `/graphql/stream`. */
  readonly eventStream: RequestHandler;
  /** Whether a request that asks for another protocol gets it; all others are answered as if they had not asked. */
  readonly upgrades: (req: IncomingMessage) => boolean;
  readonly upgrade: Upgrade;
  /** Both roads' connections, and those of REST's event streams. */
  readonly connections: Connections;
  /** Ends every connection, now. */
  close(): void;
}

/** Where WebSockets are taken. */
const PATH = '/graphql';
/** Results that are made at a time: a thousand subscribers of one change must not take every connection. */
const RESULTS_AT_ONCE = 4;

export function createSubscriptions(
  options: Omit<ConnectionsOptions & EventStreamOptions & WebsocketOptions, 'connections' | 'turns'>,
): Subscriptions {
  const connections = new Connections(options);
  const turns = new Turns(RESULTS_AT_ONCE);
  return {
    eventStream: eventStream({ ...options, connections, turns }),
    // Java's own client asks for h2c with its first request, and must get its answer.
    upgrades: ({ url = '', headers }) =>
      headers.upgrade?.toLowerCase() === 'websocket' && url.split('?')[0] === PATH,
    upgrade: websockets({ ...options, connections, turns }),
    connections,
    close: () => {
      connections.close();
    },
  };
}
