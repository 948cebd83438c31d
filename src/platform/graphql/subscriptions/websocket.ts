import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { parse } from 'graphql';
import type { ExecutionResult, FormattedExecutionResult, GraphQLSchema } from 'graphql';
import { CloseCode, handleProtocols, makeServer } from 'graphql-ws';
import type { Server } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import type { Caller } from '../../context.js';
import { failure } from '../../errors.js';
import type { Logger } from '../../logger.js';
import { SubscriptionCut } from '../../pubsub/subscription-cut.js';
import { bearerOf } from '../../rest/bearer.js';
import { refuseOn } from '../../rest/raw-answer.js';
import { requestIdOf } from '../../rest/request-id.js';
import { apiKeyMissing } from '../access.js';
import { asGraphqlError } from '../graphql-error.js';
import { exposeError } from '../mask.js';
import type { RequestContext } from '../request-context.js';
import type { Connection, Connections } from './connections.js';
import { OperationRefused, exposeErrors } from './operation-refused.js';
import { startSubscription } from './subscription-operation.js';
import type { Turns } from './turns.js';

export interface WebsocketOptions {
  readonly schema: GraphQLSchema;
  readonly turns: Turns;
  readonly connections: Connections;
  readonly authenticate: (presented: string, req: IncomingMessage) => Promise<Caller>;
  readonly contextFor: (caller: Caller, req: IncomingMessage, requestId: string) => RequestContext;
  /** Throws while the server starts or stops. */
  readonly assertOpen: () => void;
  readonly log: Logger;
}

/** What is known of a connection; graphql-ws hands it to each hook. */
interface Peer extends Connection {
  readonly req: IncomingMessage;
  readonly requestId: string;
  presented: string | undefined;
  caller: Caller | undefined;
  close(code: number, reason: string): void;
}

const MESSAGE_BYTES_MAX = 128 * 1024;
const SUBSCRIPTIONS_MAX = 50;
/** Proxies hang up on a connection that says nothing for a minute. */
const PING_MS = 25_000;
/** How long a client may take to answer the goodbye. */
const GOODBYE_MS = 1_000;
const GOING_AWAY = 1001;
/** Clients of the protocol connect again by themselves after it. */
const TRY_AGAIN_LATER = 1013;
/** graphql-ws looks into a document for whether it is a subscription. Ours has been checked and started before. */
const STARTED = parse('subscription { started }');

/** Takes over a connection whose HTTP request asked for a WebSocket. */
export type Upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Subscriptions over WebSocket, by the protocol `graphql-transport-ws`. */
export function websockets(options: WebsocketOptions): Upgrade {
  const { connections, log } = options;
  const sockets = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, maxPayload: MESSAGE_BYTES_MAX, handleProtocols },
  });
  const protocol = makeProtocol(options);
  return (req, socket, head) => {
    const requestId = requestIdOf(req);
    try {
      options.assertOpen();
      connections.assertRoom();
    } catch (error) {
      refuseOn(socket, exposeError(error, log, requestId), req.url?.split('?')[0], requestId);
      return;
    }
    sockets.handleUpgrade(req, socket, head, (websocket) => {
      const peer = peerOf(websocket, req, requestId);
      connections.add(peer);
      websocket.once('close', () => {
        connections.remove(peer);
      });
      converse(websocket, peer, protocol, log);
    });
  };
}

/** Each operation is started in `onSubscribe`, with all checks; what graphql-ws takes for its context are the results. */
function makeProtocol({ schema, turns, authenticate, contextFor, log }: WebsocketOptions): Server<Peer> {
  return makeServer<Record<string, unknown>, Peer>({
    onConnect: async ({ extra: peer, connectionParams = {} }) => {
      try {
        peer.presented = credentialOf(peer.req, connectionParams);
        peer.caller = await authenticate(peer.presented, peer.req);
        return true;
      } catch (error) {
        const { status, code } = exposeError(error, log, peer.requestId);
        peer.close(status === 401 ? CloseCode.Unauthorized : TRY_AGAIN_LATER, code);
        return false;
      }
    },
    onSubscribe: async ({ extra: peer, subscriptions }, _id, request) => {
      const { caller, requestId, req } = peer;
      if (!caller) throw new Error('An operation came before its connection was acknowledged');
      if (Object.keys(subscriptions).length > SUBSCRIPTIONS_MAX) {
        const message = `A connection carries at most ${SUBSCRIPTIONS_MAX} subscriptions; open another`;
        return [asGraphqlError(failure('LIMIT_REACHED', message))];
      }
      try {
        const contextValue = await startSubscription({ schema, turns }, request, () =>
          contextFor(caller, req, requestId),
        );
        return { schema, document: STARTED, contextValue };
      } catch (error) {
        if (error instanceof OperationRefused) return error.errors;
        return [asGraphqlError(exposeError(error, log, requestId))];
      }
    },
    subscribe: ({ contextValue }) => contextValue as AsyncGenerator<ExecutionResult>,
    // Formatted already; graphql-ws would format it once more.
    onNext: (_ctx, _id, _payload, _args, result) => result as FormattedExecutionResult,
    onError: ({ extra: peer }, _id, _payload, errors) => {
      const cut = errors.find(({ originalError }) => originalError instanceof SubscriptionCut);
      // An error would end this one subscription for good; a closed connection is made again, with all of them.
      if (cut) peer.close(TRY_AGAIN_LATER, (cut.originalError as SubscriptionCut).code);
      return exposeErrors(errors, { log, requestId: peer.requestId });
    },
  });
}

/** From the handshake's header, or, for browsers, which can't set one, from the first message. */
function credentialOf(req: IncomingMessage, params: Readonly<Record<string, unknown>>): string {
  const given = params['authorization'] ?? params['Authorization'] ?? req.headers.authorization;
  const presented = typeof given === 'string' ? bearerOf(given) : undefined;
  if (presented === undefined) throw apiKeyMissing();
  return presented;
}

function peerOf(websocket: WebSocket, req: IncomingMessage, requestId: string): Peer {
  const close = (code: number, reason: string) => {
    websocket.close(code, reason);
    setTimeout(() => {
      websocket.terminate();
    }, GOODBYE_MS).unref();
  };
  return {
    ...{ transport: 'websocket', req, requestId, presented: undefined, caller: undefined, close },
    refuse: ({ code }) => {
      close(CloseCode.Unauthorized, code);
    },
    goAway: () => {
      close(GOING_AWAY, 'Going away');
    },
  };
}

/** Lets the protocol speak over the socket, and makes sure that there is somebody at its other end. */
function converse(websocket: WebSocket, peer: Peer, protocol: Server<Peer>, log: Logger): void {
  const closed = protocol.opened(
    {
      protocol: websocket.protocol,
      // Resolves once it is on its way, so that nothing is made faster than it is taken.
      send: (text) =>
        new Promise((resolve, reject) => {
          if (websocket.readyState !== websocket.OPEN) {
            resolve();
            return;
          }
          websocket.send(text, (error) => {
            if (error) reject(error);
            else resolve();
          });
        }),
      close: (code, reason) => {
        websocket.close(code, reason);
      },
      onMessage: (handle) => {
        websocket.on('message', (data: Buffer) => {
          handle(data.toString()).catch((error: unknown) => {
            log.error({ err: error, requestId: peer.requestId }, 'unexpected error');
            peer.close(CloseCode.InternalServerError, 'INTERNAL');
          });
        });
      },
    },
    peer,
  );
  let isAlive = true;
  websocket.on('pong', () => {
    isAlive = true;
  });
  const pinger = setInterval(() => {
    if (!isAlive) websocket.terminate();
    else if (websocket.readyState === websocket.OPEN) websocket.ping();
    isAlive = false;
  }, PING_MS);
  websocket.on('error', (error) => {
    // The socket closes itself, with the code that says why, e.g. 1009 for a message that is too long.
    log.debug({ err: error, requestId: peer.requestId }, 'a websocket has an error');
  });
  websocket.once('close', (code, reason) => {
    clearInterval(pinger);
    void closed(code, reason.toString());
  });
}
