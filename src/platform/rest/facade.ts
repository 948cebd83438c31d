import express from 'express';
import type { Request, RequestHandler, Response, Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import { failure } from '../errors.js';
import { apiKeyMissing, requireScope } from '../graphql/access.js';
import { exposeError } from '../graphql/mask.js';
import type { RequestContext } from '../graphql/request-context.js';
import type { Connections } from '../graphql/subscriptions/connections.js';
import { aheadOfField } from '../limits/limit-caller.js';
import { JSON_BODY_BYTES_MAX, jsonBody } from './body.js';
import { asClientError, inboundBody } from './inbound.js';
import { sendEvents } from './event-stream.js';
import { idempotencyKey, isReplayable, once } from './idempotency.js';
import type { StoredResponse } from './idempotency.js';
import { sendList } from './list.js';
import { sendContent } from './content.js';
import { compileOperation } from './operation.js';
import type { CompiledOperation } from './operation.js';
import { runOperation } from './outcome.js';
import { sendProblem } from './problem.js';
import type { Route, RouteKey, RouteTable } from './routes.js';
import { requestVariables } from './variables.js';
import type { RequestVariables } from './variables.js';

/**
 * Makes the GraphQL context of a request; throws `API_KEY_INVALID` or `API_KEY_EXPIRED` for a bad credential. With
 * `keyless` no credential is looked for.
 */
export type ContextOf = (
  req: Request,
  res: Response,
  options: { readonly keyless: boolean },
) => Promise<RequestContext>;

type Handler = (
  req: Request,
  res: Response,
  ctx: RequestContext,
  variables: RequestVariables,
) => Promise<void>;

interface Row {
  readonly route: Route;
  readonly operation: CompiledOperation;
  readonly readBody: (req: Request, res: Response) => Promise<void>;
  readonly handle: Handler;
}

interface FacadeOptions {
  /** For rows that say nothing else. */
  readonly bodyBytesMax?: number;
  /** Those of event streams are kept here. */
  readonly connections: Connections;
  /** Refuses a caller who asks too much, ahead of rows that have no limit of their own. */
  readonly admit?: (ctx: RequestContext) => Promise<void>;
}

/**
 * The REST facade: every row of the tables becomes an express route that runs its compiled operation. Throws at
 * start when two rows collide or a document doesn't fit the schema.
 */
export function restFacade(
  schema: GraphQLSchema,
  tables: readonly RouteTable[],
  contextOf: ContextOf,
  { bodyBytesMax = JSON_BODY_BYTES_MAX, connections, admit = admitAll }: FacadeOptions,
): Router {
  const byPath = new Map<string, Map<string, Row>>();
  for (const [key, route] of tables.flatMap((table) => Object.entries(table) as [RouteKey, Route][])) {
    const [method = '', path = ''] = key.split(' ');
    const methods = byPath.get(path) ?? new Map<string, Row>();
    if (methods.has(method)) throw new Error(`Two routes for ${key}`);
    const operation = compileOperation(schema, route.operation, route.member);
    const readBody = route.inbound
      ? inboundBody(route.inbound)
      : jsonBody(route.bodyBytesMax ?? bodyBytesMax);
    const handle = handlerOf(route, operation, connections);
    byPath.set(path, methods.set(method, { route, operation, readBody, handle }));
  }
  // Not strict about a trailing slash, but about case: names in paths are exact.
  const router = express.Router({ caseSensitive: true });
  for (const [path, methods] of byPath) router.all(path, endpoint(methods, contextOf, admit));
  return router;
}

const admitAll = () => Promise.resolve();

function endpoint(
  methods: ReadonlyMap<string, Row>,
  contextOf: ContextOf,
  admit: (ctx: RequestContext) => Promise<void>,
): RequestHandler {
  const allow = [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  return async (req, res) => {
    const row = methods.get(req.method === 'HEAD' ? 'GET' : req.method);
    if (!row) {
      if (req.method === 'OPTIONS') {
        res.setHeader('Allow', allow).status(204).end();
        return;
      }
      throw failure('METHOD_NOT_ALLOWED', `${req.method} is not allowed here; allowed: ${allow}`, {
        headers: { Allow: allow },
      });
    }
    const { inbound } = row.route;
    const ctx = await contextOf(req, res, { keyless: inbound !== undefined });
    try {
      // A replay doesn't reach the operation, nor the limit that is around it.
      if (!row.operation.isLimited || isReplayable(req)) await admit(ctx);
      if (row.route.access === 'apiKey' && !ctx.caller.authenticated) throw apiKeyMissing();
      // Ahead of the body: who may not do this learns nothing about how it is done.
      requireScope(ctx.caller, row.operation.access);
      const read = async () => {
        await row.readBody(req, res);
        return requestVariables(req, row.route, row.operation);
      };
      const variables = row.operation.isLimited ? await aheadOfField(ctx, read) : await read();
      await row.handle(req, res, ctx, variables);
    } catch (error) {
      const found = exposeError(error, ctx.log, ctx.requestId);
      const exposed = inbound?.onlyClientErrors ? asClientError(found) : found;
      ctx.facts.code ??= exposed.code;
      sendProblem(res, exposed, req.path, ctx.requestId);
    }
  };
}

function handlerOf(route: Route, operation: CompiledOperation, connections: Connections): Handler {
  const shape = shapeOf(route);
  return async (req, res, ctx, variables) => {
    if (route.response === 'list') {
      await sendList(operation, ctx, variables, shape, req, res);
      return;
    }
    if (route.response === 'content') {
      await runOperation(operation, ctx, variables);
      if (!ctx.content) throw new Error(`${operation.name} left no content to send`);
      await sendContent(ctx.content, ctx.log, req, res);
      return;
    }
    if (route.response === 'events') {
      await sendEvents(operation, ctx, variables, connections, req, res);
      return;
    }
    if (typeof route.response === 'function') {
      await route.response(await runOperation(operation, ctx, variables), req, res);
      return;
    }
    const run = async () => stored(route, shape(await runOperation(operation, ctx, variables)), ctx);
    const key = idempotencyKey(req);
    if (key === undefined) {
      send(res, await run());
      return;
    }
    const { response, replayed } = await once(ctx, key, req, run);
    if (replayed) res.setHeader('Idempotency-Replayed', 'true');
    send(res, response);
  };
}

function stored(route: Route, value: unknown, ctx: RequestContext): StoredResponse {
  if (route.response === 'empty') return { status: 204, headers: {}, body: '' };
  const { status, shown } = statusOf(route, value);
  const body = JSON.stringify(shown);
  return { status, headers: ctx.signBody?.(body) ?? {}, body };
}

/** A row with `isNew` leaves it to the result whether something was created. */
function statusOf({ status = 200, isNew }: Route, value: unknown): { status: number; shown: unknown } {
  if (isNew === undefined) return { status, shown: value };
  const { [isNew]: created, ...shown } = value as Record<string, unknown>;
  return { status: created === true ? 201 : 200, shown };
}

function send(res: Response, response: StoredResponse): void {
  res.status(response.status);
  for (const [name, value] of Object.entries(response.headers)) res.setHeader(name, value);
  if (response.status === 204) res.end();
  else res.type('application/json').send(response.body);
}

/** Puts the members of the `flatten` member (custom fields) beside the others. */
function shapeOf({ flatten }: Route): (value: unknown) => unknown {
  if (flatten === undefined) return (value) => value;
  return (value) => {
    const { [flatten]: inner, ...outer } = value as Record<string, unknown>;
    // Custom fields come last and can't hide a documented member: their reserved names are refused when defined.
    return { ...outer, ...(inner as Record<string, unknown>) };
  };
}
