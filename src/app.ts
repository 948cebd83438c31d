import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { expressMiddleware } from '@as-integrations/express5';
import type { MikroORM } from '@mikro-orm/postgresql';
import express from 'express';
import type { ErrorRequestHandler, Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { authSecret } from './bot/auth/auth-secret.js';
import { botRoutes } from './bot/routes.js';
import type { Settings } from './config.js';
import { authenticate } from './licensing/api-keys/api-key.service.js';
import { RequestLog } from './licensing/logs/request-log.service.js';
import { validationEventsOf } from './licensing/licenses/validation/validation-events.js';
import { licensingRoutes } from './licensing/routes.js';
import type { Clock } from './platform/clock.js';
import { ANONYMOUS } from './platform/context.js';
import type { Source } from './platform/context.js';
import { failure } from './platform/errors.js';
import { requireScope } from './platform/graphql/access.js';
import { graphqlErrorBody } from './platform/graphql/graphql-error.js';
import { exposeError } from './platform/graphql/mask.js';
import { RequestContext } from './platform/graphql/request-context.js';
import { createGraphqlServer } from './platform/graphql/server.js';
import { createSubscriptions } from './platform/graphql/subscriptions/subscriptions.js';
import type { Logger } from './platform/logger.js';
import type { Metrics } from './platform/metrics.js';
import { PubSub } from './platform/pubsub/pubsub.js';
import { bearerFirst } from './platform/rest/bearer-first.js';
import { bearerOf } from './platform/rest/bearer.js';
import { jsonBody } from './platform/rest/body.js';
import { clientOf } from './platform/rest/client-info.js';
import { restFacade } from './platform/rest/facade.js';
import { healthRoutes } from './platform/rest/health.js';
import type { Readiness } from './platform/rest/health.js';
import { measureRequests, metricsRoutes } from './platform/rest/metrics.js';
import { sendProblem } from './platform/rest/problem.js';
import { requestIdOf } from './platform/rest/request-id.js';
import { createSchema } from './schema.js';

export interface AppOptions {
  readonly config: Settings;
  readonly orm: MikroORM;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  /** The bearer of the bot API. */
  readonly authSecret: string;
  /** Why requests other than health's are not taken now, if they are not: the start or the stop is under way. */
  readonly closedBecause?: () => string | undefined;
  /** How often the API keys of open subscriptions are looked at again. */
  readonly keyCheckMs?: number;
}

export interface App {
  /** Answers requests, and takes WebSockets over. */
  readonly server: Server;
  /** Answers the bot API's. */
  readonly botServer: Server;
  /** Ends every subscription, now. When the stop begins: they would never end by themselves. */
  endSubscriptions(): void;
  /** Writes what was gathered off the request path so far. */
  flush(): Promise<void>;
  /** Writes the rest and ends. After the last request. */
  close(): Promise<void>;
}

/** An operation's text is small; its variables may carry thousands of licenses. */
const GRAPHQL_TEXT_BYTES_MAX = 64 * 1024;
const GRAPHQL_BODY_BYTES_MAX = 8 * 1024 * 1024;
const BOT_BODY_BYTES_MAX = 256 * 1024;
const KEY_CHECK_MS = 60_000;

/** What a request carries from the first middleware on. */
interface Locals {
  requestId: string;
  context?: RequestContext;
  /** The code of an error that came before there was a context, or beside it. */
  code?: string;
}

/** Composes the gateway: one schema, `/graphql` and the REST facade on it. Holds no rules. */
export async function createApp(options: AppOptions): Promise<App> {
  const { orm, log, config, clock, metrics, readiness, closedBecause = () => undefined } = options;
  const schema = createSchema();
  const requestLog = new RequestLog(orm, log);
  const validationEvents = validationEventsOf(orm.em, { clock, log });
  const graphql = createGraphqlServer(schema);
  await graphql.start();

  const pubsub = new PubSub({ url: orm.config.get('clientUrl'), log, metrics });

  const holderOfSecret = authSecret(options.authSecret);
  const callerWith = async (presented: string) =>
    holderOfSecret(presented) ?? authenticate(orm.em.fork(), presented, clock.now());
  const callerOf = async (req: Request) => {
    const presented = bearerOf(req.get('authorization'));
    // A bad credential is refused on public endpoints too: whoever sends one is mistaken about it.
    return presented === undefined ? ANONYMOUS : callerWith(presented);
  };
  const base = { orm, clock, log, metrics, pubsub, settings: config };
  const contextOf =
    (source: Source) =>
    async (req: Request, res: Response, options = { keyless: false }) => {
      const locals = res.locals as Locals;
      if (locals.context) return locals.context;
      const { requestId } = locals;
      const caller = options.keyless ? ANONYMOUS : await callerOf(req);
      return (locals.context = new RequestContext({
        ...base,
        source,
        caller,
        requestId,
        client: clientOf(req),
      }));
    };
  const subscriptions = createSubscriptions({
    ...{ schema, log, metrics, authenticate: callerWith },
    max: config.subscriptions.max,
    recheckMs: options.keyCheckMs ?? KEY_CHECK_MS,
    assertOpen: () => {
      assertOpen(closedBecause);
    },
    contextFor: (caller, req, requestId) =>
      new RequestContext({ ...base, source: 'graphql', caller, requestId, client: clientOf(req) }),
  });

  const { connections } = subscriptions;
  /** What both APIs have around their routes. */
  const around = (mount: (http: Express) => void): Express => {
    const http = express().disable('x-powered-by').set('etag', false).set('query parser', 'simple');
    if (config.server.trustedProxies.length > 0) http.set('trust proxy', [...config.server.trustedProxies]);
    http.use(firstHeaders);
    http.use(healthRoutes(readiness));
    http.use(measureRequests(metrics));
    http.use(onlyWhileOpen(closedBecause));
    http.use(logRequests(requestLog, clock));
    http.use(wellFormedPath);
    mount(http);
    http.use((req: Request) => {
      throw failure('NOT_FOUND', `There is nothing at ${req.path}`);
    });
    http.use(lastResort(log));
    return http;
  };
  const http = around((http) => {
    http.use(
      metricsRoutes(metrics, async (req) => {
        requireScope(await callerOf(req), 'jobs:read');
      }),
    );
    http.all('/graphql/stream', subscriptions.eventStream, graphqlLastResort(log));
    http.use(
      '/graphql',
      async (req: Request, res: Response, next: NextFunction) => {
        await contextOf('graphql')(req, res);
        next();
      },
      graphqlBody,
      expressMiddleware(graphql, { context: ({ res }) => Promise.resolve(contextIn(res)) }),
      graphqlLastResort(log),
    );
    http.use(restFacade(schema, licensingRoutes, contextOf('rest'), { connections }));
  });
  const botHttp = around((http) => {
    http.use(bearerFirst(botRoutes, contextOf('rest')));
    http.use(
      restFacade(schema, botRoutes, contextOf('rest'), { connections, bodyBytesMax: BOT_BODY_BYTES_MAX }),
    );
  });
  const server = createServer({ shouldUpgradeCallback: subscriptions.upgrades }, http);
  server.on('upgrade', subscriptions.upgrade);
  return {
    server,
    botServer: createServer(botHttp),
    endSubscriptions: () => {
      subscriptions.close();
    },
    flush: async () => {
      await requestLog.flush();
      await validationEvents.flush();
    },
    close: async () => {
      subscriptions.close();
      await pubsub.close();
      await graphql.stop();
      await requestLog.close();
      await validationEvents.flush();
    },
  };
}

const firstHeaders: RequestHandler = (req, res, next) => {
  const requestId = requestIdOf(req);
  (res.locals as Locals).requestId = requestId;
  res.setHeader('X-Request-Id', requestId);
  res.setHeader('API-Version', '1');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cache-Control', 'no-store');
  next();
};

/** Before the database is migrated and after the stop was asked for, nothing but health is answered. */
function onlyWhileOpen(closedBecause: () => string | undefined): RequestHandler {
  return (_req, _res, next) => {
    assertOpen(closedBecause);
    next();
  };
}

function assertOpen(closedBecause: () => string | undefined): void {
  const reason = closedBecause();
  if (reason === undefined) return;
  throw failure('UNAVAILABLE', `The server is ${reason}; try again shortly`, {
    headers: { 'Retry-After': '2', Connection: 'close' },
  });
}

function logRequests(requestLog: RequestLog, clock: Clock): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    res.once('close', () => {
      const { requestId, context, code: ownCode } = res.locals as Locals;
      const { code = ownCode, license, product, customer, isVerdict = false } = context?.facts ?? {};
      const client = clientOf(req);
      requestLog.add({
        ...{ requestId, method: req.method, path: pathOf(req), status: res.statusCode },
        ...{
          code: code ?? null,
          license: license ?? null,
          product: product ?? null,
          customer: customer ?? null,
        },
        ip: client.ip,
        agent: client.agent,
        durationMs: performance.now() - startedAt,
        createdAt: clock.now(),
        isVerdict,
      });
    });
    next();
  };
}

/** What follows is a credential. */
const SECRET_IN_PATH = /(?<=^\/download\/).+/;

/** Only what is ours to log: no query, which may hold keys, no token of a download, and nothing of unbounded length. */
function pathOf(req: Request): string {
  return (req.originalUrl.split('?')[0] ?? '').replace(SECRET_IN_PATH, '…').slice(0, 255);
}

/** A path whose escapes make no text can't be matched to anything; express would only say so where a path has parameters. */
const wellFormedPath: RequestHandler = (req, _res, next) => {
  try {
    decodeURIComponent(req.path);
  } catch {
    throw failure('BAD_PARAMETER', 'The URL is malformed');
  }
  next();
};

function contextIn(res: Response): RequestContext {
  const { context } = res.locals as Locals;
  if (!context) throw new Error('The request has no context yet');
  return context;
}

const readGraphqlBody = jsonBody(GRAPHQL_BODY_BYTES_MAX);

/** Reads the body of `/graphql`. */
const graphqlBody: RequestHandler = async (req, res, next) => {
  await readGraphqlBody(req, res);
  // Apollo wants to see that somebody looked for a body, also where there is none.
  req.body ??= {};
  const { query } = req.body as { query?: unknown };
  if (typeof query === 'string' && query.length > GRAPHQL_TEXT_BYTES_MAX) {
    throw failure('BODY_TOO_LARGE', `The operation's text may have at most ${GRAPHQL_TEXT_BYTES_MAX} bytes`);
  }
  next();
};

/** Answers what goes wrong before GraphQL (the key, the body, the database away) in GraphQL's shape. */
function graphqlLastResort(log: Logger): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) => {
    const locals = res.locals as Locals;
    const exposed = exposeError(error, log, locals.requestId);
    locals.code = exposed.code;
    res.status(exposed.status).set(exposed.headers).json(graphqlErrorBody(exposed, locals.requestId));
  };
}

/** Whatever no one expected is a problem response and never a stack trace. */
function lastResort(log: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const locals = res.locals as Locals;
    const exposed = exposeError(error, log, locals.requestId);
    locals.code = exposed.code;
    sendProblem(res, exposed, req.path, locals.requestId);
  };
}
