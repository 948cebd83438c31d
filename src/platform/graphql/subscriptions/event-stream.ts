import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { FormattedExecutionResult, GraphQLSchema } from 'graphql';
import type { Caller } from '../../context.js';
import { failure } from '../../errors.js';
import { EventStreamWriter } from '../../event-stream-writer.js';
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
  readonly authenticate: (presented: string, req: IncomingMessage) => Promise<Caller>;
  readonly contextFor: (caller: Caller, req: IncomingMessage, requestId: string) => RequestContext;
}

const BODY_BYTES_MAX = 64 * 1024;

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
    const caller = await authenticate(presented, req);
    const request = await readRequest(req, res);
    connections.assertRoom();
    const contextOf = () => contextFor(caller, req, String(res.getHeader('X-Request-Id')));
    const context = contextOf();
    try {
      const results = await startSubscription({ schema, turns }, request, contextOf);
      await sendResults(results, presented, connections, context, res);
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

/** Sends results until there are no more, or the client or the server ends it. */
async function sendResults(
  results: AsyncGenerator<FormattedExecutionResult>,
  presented: string,
  connections: Connections,
  context: RequestContext,
  res: Response,
): Promise<void> {
  const { log, requestId } = context;
  const stream = new EventStreamWriter(res);
  const next = (result: object) => ({ event: 'next', data: JSON.stringify(result) });
  const refusal = (error: unknown) => next(graphqlErrorBody(exposeError(error, log, requestId), requestId));
  const connection: Connection = {
    ...{ transport: 'event-stream', presented },
    refuse: (error) => {
      void stream.write(refusal(error));
      stream.end(COMPLETE);
    },
    // Without `complete` a client takes it for a broken connection, and comes back.
    goAway: () => {
      stream.end();
    },
  };
  res.once('close', () => void results.return(undefined));
  try {
    if (res.destroyed) await results.return(undefined);
    connections.add(connection);
    for await (const result of results) await stream.write(next(result));
    stream.end(COMPLETE);
  } catch (error) {
    stream.end(refusal(error));
  } finally {
    connections.remove(connection);
  }
}

const COMPLETE = { event: 'complete', data: '' };
