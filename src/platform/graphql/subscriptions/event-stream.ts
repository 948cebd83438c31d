import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { FormattedExecutionResult, GraphQLSchema } from 'graphql';
import type { Caller } from '../../context.js';
import { failure } from '../../errors.js';
import { bearerOf } from '../../rest/bearer.js';
import { jsonBody } from '../../rest/body.js';
import { apiKeyMissing } from '../access.js';
import { graphqlErrorBody } from '../graphql-error.js';
import { exposeError } from '../mask.js';
import type { RequestContext } from '../request-context.js';
import type { Connection, Connections } from './connections.js';
import { OperationRefused, exposeErrors } from './operation-refused.js';
import { startSubscription } from './subscription-operation.js';
import type { OperationRequest } from './subscription-operation.js';
import type { Turns } from './turns.js';

export interface EventStreamOptions {
  readonly schema: GraphQLSchema;
  readonly turns: Turns;
  readonly connections: Connections;
  readonly authenticate: (presented: string) => Promise<Caller>;
  readonly contextFor: (caller: Caller, req: IncomingMessage, requestId: string) => RequestContext;
}

const BODY_BYTES_MAX = 64 * 1024;
/** Proxies hang up on a connection that says nothing for a minute. */
const PING_MS = 25_000;

/**
 * `/graphql/stream`: one subscription as server-sent events, the "distinct connections mode" of the GraphQL over SSE
 * protocol (github.com/enisdenjo/graphql-sse, PROTOCOL.md). The library's own server isn't used: what a slow client has
 * not taken it keeps in memory without bound, and its other mode needs every request to meet the same process.
 */
export function eventStream(options: EventStreamOptions): RequestHandler {
  const { schema, turns, connections, authenticate, contextFor } = options;
  return async (req, res) => {
    const presented = bearerOf(req.get('authorization'));
    if (presented === undefined) throw apiKeyMissing();
    const caller = await authenticate(presented);
    const request = await readRequest(req, res);
    connections.assertRoom();
    const contextOf = () => contextFor(caller, req, String(res.getHeader('X-Request-Id')));
    const context = contextOf();
    try {
      const results = await startSubscription({ schema, turns }, request, contextOf);
      await new EventStream(res, context).send(results, presented, connections);
    } catch (error) {
      if (!(error instanceof OperationRefused)) throw error;
      const { status, headers } = error.http;
      res.status(status).set(headers);
      res.json({ errors: exposeErrors(error.errors, context) });
    }
  };
}

async function readRequest(req: Request, res: Response): Promise<OperationRequest> {
  if (req.method === 'GET') return requestIn(queryOf(req));
  if (req.method === 'POST') {
    await readBody(req, res);
    return requestIn(req.body);
  }
  const headers = { Allow: 'GET, POST' };
  throw failure('METHOD_NOT_ALLOWED', `${req.method} is not allowed here; allowed: GET, POST`, { headers });
}

const readBody = jsonBody(BODY_BYTES_MAX);

function queryOf({ query: { query, operationName, variables } }: Request): unknown {
  if (typeof variables !== 'string') return { query, operationName };
  try {
    return { query, operationName, variables: JSON.parse(variables) as unknown };
  } catch {
    throw failure('BAD_PARAMETER', 'The parameter variables must be JSON');
  }
}

function requestIn(sent: unknown): OperationRequest {
  const { query, operationName, variables } = (sent ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof query !== 'string') throw failure('BAD_PARAMETER', 'query must be the text of a subscription');
  if (operationName != null && typeof operationName !== 'string')
    throw failure('BAD_PARAMETER', 'operationName must be text');
  if (variables != null && (typeof variables !== 'object' || Array.isArray(variables)))
    throw failure('BAD_PARAMETER', 'variables must be an object');
  return { query, operationName, variables: variables as OperationRequest['variables'] };
}

/** A response that goes on. It is written no faster than it is read. */
class EventStream {
  readonly #res: Response;
  readonly #context: RequestContext;
  #wasStuck = false;

  constructor(res: Response, context: RequestContext) {
    this.#res = res;
    this.#context = context;
  }

  /** Resolves once it has ended, whoever ended it. */
  async send(
    results: AsyncGenerator<FormattedExecutionResult>,
    presented: string,
    connections: Connections,
  ): Promise<void> {
    const res = this.#res;
    const connection: Connection = {
      ...{ transport: 'event-stream', presented },
      refuse: (error) => {
        void this.#error(error);
        this.#complete();
      },
      // Without `complete` a client takes it for a broken connection, and comes back.
      goAway: () => res.end(),
    };
    res.once('close', () => void results.return(undefined));
    const pinger = setInterval(() => {
      this.#ping();
    }, PING_MS);
    try {
      // The client may have hung up meanwhile.
      if (res.destroyed) await results.return(undefined);
      res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
      res.write(':\n\n');
      connections.add(connection);
      for await (const result of results) await this.#event(result);
      this.#complete();
    } catch (error) {
      await this.#error(error);
      res.end();
    } finally {
      clearInterval(pinger);
      connections.remove(connection);
    }
  }

  async #error(error: unknown): Promise<void> {
    const { log, requestId } = this.#context;
    await this.#event(graphqlErrorBody(exposeError(error, log, requestId), requestId));
  }

  async #event(result: object): Promise<void> {
    const res = this.#res;
    if (res.writableEnded || res.destroyed) return;
    if (res.write(`event: next\ndata: ${JSON.stringify(result)}\n\n`)) return;
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]).finally(() => {
      waiting.abort();
    });
  }

  #complete(): void {
    if (!this.#res.writableEnded) this.#res.end('event: complete\ndata: \n\n');
  }

  /** A client that has read nothing from one ping to the next is gone, or as good as. */
  #ping(): void {
    const res = this.#res;
    if (!res.writableNeedDrain && !res.writableEnded) res.write(':\n\n');
    else if (this.#wasStuck) res.destroy();
    this.#wasStuck = res.writableNeedDrain || res.writableEnded;
  }
}
