import express from 'express';
import type { Request, RequestHandler, Response, Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import { failure } from '../errors.js';
import { apiKeyMissing } from '../graphql/access.js';
import { exposeError } from '../graphql/mask.js';
import type { RequestContext } from '../graphql/request-context.js';
import { JSON_BODY_BYTES_MAX, jsonBody } from './body.js';
import { idempotencyKey, once } from './idempotency.js';
import type { StoredResponse } from './idempotency.js';
import { sendList } from './list.js';
import { compileOperation } from './operation.js';
import type { CompiledOperation } from './operation.js';
import { runOperation } from './outcome.js';
import { sendProblem } from './problem.js';
import type { Route, RouteKey, RouteTable } from './routes.js';
import { requestVariables } from './variables.js';

/** Makes the GraphQL context of a request; throws `API_KEY_INVALID` or `API_KEY_EXPIRED` for a bad credential. */
export type ContextOf = (req: Request, res: Response) => Promise<RequestContext>;

type Handler = (req: Request, res: Response, ctx: RequestContext) => Promise<void>;

const readJson = jsonBody(JSON_BODY_BYTES_MAX);

/**
 * The REST facade: every row of the tables becomes an express route that runs its compiled operation. Throws at
 * start when two rows collide or a document doesn't fit the schema.
 */
export function restFacade(
  schema: GraphQLSchema,
  tables: readonly RouteTable[],
  contextOf: ContextOf,
): Router {
  const byPath = new Map<string, Map<string, { route: Route; handle: Handler }>>();
  for (const [key, route] of tables.flatMap((table) => Object.entries(table) as [RouteKey, Route][])) {
    const [method = '', path = ''] = key.split(' ');
    const methods = byPath.get(path) ?? new Map<string, { route: Route; handle: Handler }>();
    if (methods.has(method)) throw new Error(`Two routes for ${key}`);
    byPath.set(
      path,
      methods.set(method, { route, handle: handlerOf(route, compileOperation(schema, route.operation)) }),
    );
  }
  // Not strict about a trailing slash, but about case: names in paths are exact.
  const router = express.Router({ caseSensitive: true });
  for (const [path, methods] of byPath) router.all(path, endpoint(methods, contextOf));
  return router;
}

function endpoint(
  methods: Map<string, { route: Route; handle: Handler }>,
  contextOf: ContextOf,
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
    const ctx = await contextOf(req, res);
    try {
      if (row.route.access === 'apiKey' && !ctx.caller.authenticated) throw apiKeyMissing();
      await readJson(req, res);
      await row.handle(req, res, ctx);
    } catch (error) {
      const exposed = exposeError(error, ctx.log, ctx.requestId);
      ctx.facts.code ??= exposed.code;
      sendProblem(res, exposed, req.path, ctx.requestId);
    }
  };
}

function handlerOf(route: Route, operation: CompiledOperation): Handler {
  const shape = shapeOf(route);
  return async (req, res, ctx) => {
    const variables = requestVariables(req, route, operation);
    if (route.response === 'list') {
      await sendList(operation, ctx, variables, shape, req, res);
      return;
    }
    if (typeof route.response === 'function') {
      await route.response(await runOperation(operation, ctx, variables), req, res);
      return;
    }
    const run = async () => stored(route, shape(await runOperation(operation, ctx, variables)));
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

function stored(route: Route, value: unknown): StoredResponse {
  if (route.response === 'empty') return { status: 204, headers: {}, body: '' };
  return { status: route.status ?? 200, headers: {}, body: JSON.stringify(value) };
}

function send(res: Response, response: StoredResponse): void {
  res.status(response.status);
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
