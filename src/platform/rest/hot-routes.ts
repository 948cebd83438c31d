import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import type { ClientInfo } from '../context.js';
import type { DomainError } from '../errors.js';
import { exposeError } from '../graphql/mask.js';
import type { RequestContext } from '../graphql/request-context.js';
import { limitCaller } from '../limits/limit-caller.js';
import type { Logger } from '../logger.js';
import { JSON_BODY_BYTES_MAX, parseJson } from './body.js';
import { COMMON_HEADERS } from './common-headers.js';
import { compileOperation } from './operation.js';
import type { CompiledOperation } from './operation.js';
import { runOperation } from './outcome.js';
import { PROBLEM_TYPE, problemBody } from './problem.js';
import { requestIdOf } from './request-id.js';
import type { Route, RouteTable } from './routes.js';
import { requestVariables } from './variables.js';
import type { RequestVariables } from './variables.js';

/** How a hot request ended. */
export interface HotAnswer {
  readonly requestId: string;
  readonly client: ClientInfo;
  readonly method: string;
  readonly url: string;
  readonly route: string;
  readonly status: number;
  /** By `performance.now()`. */
  readonly startedAt: number;
  readonly facts: RequestContext['facts'];
}

interface HotRoutesOptions {
  readonly log: Logger;
  readonly clientOf: (req: IncomingMessage) => ClientInfo;
  /** Of a caller without a credential. */
  readonly contextFor: (
    client: ClientInfo,
    requestId: string,
    announce: RequestContext['announce'],
  ) => RequestContext;
  /** Throws when the request isn't taken; may set headers. */
  readonly admit: (path: string, client: ClientInfo, res: ServerResponse) => void;
  /** Told of each request once its answer has been handed over. */
  readonly onAnswer: (answer: HotAnswer) => void;
}

interface Row {
  readonly route: Route;
  readonly operation: CompiledOperation;
}

/** Takes a request if it is of a hot row and has nothing unusual to it; else returns false and leaves it untouched. */
export type HotRoutes = (req: IncomingMessage, res: ServerResponse) => boolean;

/**
 * The rows that products call all day, ahead of everything they don't need: the middleware, the router and the general
 * parser. They run the same compiled operation as every other row and answer the same in every way; the answer leaves
 * in one piece. A request with anything unusual to it – a credential, an `Idempotency-Key`, a query, a body that is
 * compressed, chunked or large – goes the general way. Throws at start when a row isn't simple enough for this.
 */
export function hotRoutes(
  schema: GraphQLSchema,
  tables: readonly RouteTable[],
  options: HotRoutesOptions,
): HotRoutes {
  const rows = new Map<string, Row>();
  for (const [key, route] of tables.flatMap((table) => Object.entries(table))) {
    if (!route.hot) continue;
    const [method, path = ''] = key.split(' ');
    if (method !== 'POST' || path.includes(':') || route.access !== 'public' || route.response !== undefined)
      throw new Error(`${key} can't be hot: it must be a public POST without parameters that answers JSON`);
    rows.set(path, { route, operation: compileOperation(schema, route.operation, route.member) });
  }
  return (req, res) => {
    const row = req.method === 'POST' && isUsual(req) ? rows.get(req.url ?? '') : undefined;
    if (!row) return false;
    void answer(row, req, res, options);
    return true;
  };
}

const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

function isUsual({ headers }: IncomingMessage): boolean {
  return (
    JSON_TYPE.test(headers['content-type'] ?? '') &&
    isSmall(headers['content-length']) &&
    headers.host !== undefined &&
    headers.authorization === undefined &&
    headers['content-encoding'] === undefined &&
    headers['idempotency-key'] === undefined
  );
}

/** There is a body, and the parser has told its length. */
function isSmall(contentLength: string | undefined): boolean {
  const length = Number(contentLength ?? 0);
  return length > 0 && length <= JSON_BODY_BYTES_MAX;
}

/** The body whole; of a client that goes away before its end, never. */
function read(req: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const [first] = chunks;
      resolve((first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)).toString());
    });
  });
}

async function answer(
  { route, operation }: Row,
  req: IncomingMessage,
  res: ServerResponse,
  { log, clientOf, contextFor, admit, onAnswer }: HotRoutesOptions,
): Promise<void> {
  const startedAt = performance.now();
  const path = req.url ?? '';
  const requestId = requestIdOf(req);
  const client = clientOf(req);
  let announced: Readonly<Record<string, string>> = NONE;
  const context = contextFor(client, requestId, (headers) => {
    announced = headers;
  });
  let status: number = route.status ?? 200;
  try {
    admit(path, client, res);
    const text = await read(req);
    let variables: RequestVariables;
    try {
      const parts = { method: 'POST', query: NONE, params: NONE, body: parseJson(text) };
      variables = requestVariables(parts, route, operation);
    } catch (error) {
      // As the facade does it: the field's own limit is never met.
      if (operation.isLimited) await limitCaller(context);
      throw error;
    }
    const body = JSON.stringify(await runOperation(operation, context, variables));
    send(res, status, requestId, JSON_UTF8, body, { ...announced, ...context.signBody?.(body) });
  } catch (error) {
    const exposed = exposeError(error, log, requestId);
    context.facts.code ??= exposed.code;
    status = exposed.status;
    sendError(res, exposed, path, requestId, announced);
  }
  onAnswer({
    requestId,
    client,
    method: 'POST',
    url: path,
    route: path,
    status,
    startedAt,
    facts: context.facts,
  });
}

const NONE = {};
const JSON_UTF8 = 'application/json; charset=utf-8';

function sendError(
  res: ServerResponse,
  error: DomainError,
  path: string,
  requestId: string,
  announced: Readonly<Record<string, string>>,
): void {
  const body = JSON.stringify(problemBody(error, path, requestId));
  send(res, error.status, requestId, PROBLEM_TYPE, body, { ...announced, ...error.headers });
}

function send(
  res: ServerResponse,
  status: number,
  requestId: string,
  type: string,
  body: string,
  more: Readonly<Record<string, string>>,
): void {
  res.writeHead(status, {
    'X-Request-Id': requestId,
    ...COMMON_HEADERS,
    ...more,
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
  });
  res.end(body);
}
