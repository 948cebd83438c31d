import type { Server } from 'node:http';
import { expressMiddleware } from '@as-integrations/express5';
import type { MikroORM } from '@mikro-orm/postgresql';
import express from 'express';
import type { ErrorRequestHandler, Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { authSecret } from './bot/auth/auth-secret.js';
import { botRoutes } from './bot/routes.js';
import type { Settings } from './config.js';
import { gatewayLimits, limitBotApi } from './gateway-limits.js';
import { authenticate } from './licensing/api-keys/api-key.service.js';
import { RequestLog } from './licensing/logs/request-log.service.js';
import { validationEventsOf } from './licensing/licenses/validation/validation-events.js';
import { licensingRoutes } from './licensing/routes.js';
import type { Clock } from './platform/clock.js';
import { ANONYMOUS } from './platform/context.js';
import type { Source } from './platform/context.js';
import type { Replicas } from './platform/db/replicas.js';
import { failure } from './platform/errors.js';
import { requireScope } from './platform/graphql/access.js';
import { graphqlErrorBody } from './platform/graphql/graphql-error.js';
import { exposeError } from './platform/graphql/mask.js';
import { RequestContext } from './platform/graphql/request-context.js';
import { createGraphqlServer } from './platform/graphql/server.js';
import { createSubscriptions } from './platform/graphql/subscriptions/subscriptions.js';
import { CredentialGuard } from './platform/limits/credential-guard.js';
import { limitCaller } from './platform/limits/limit-caller.js';
import type { Logger } from './platform/logger.js';
import type { Metrics } from './platform/metrics.js';
import { documentationPages } from './platform/pages/documentation-pages.js';
import { PubSub } from './platform/pubsub/pubsub.js';
import { bearerFirst } from './platform/rest/bearer-first.js';
import { bearerOf } from './platform/rest/bearer.js';
import { jsonBody } from './platform/rest/body.js';
import { clientAddress, clientOf } from './platform/rest/client-info.js';
import { COMMON_HEADERS } from './platform/rest/common-headers.js';
import { restFacade } from './platform/rest/facade.js';
import { createHardenedServer } from './platform/rest/hardened-server.js';
import { healthRoutes } from './platform/rest/health.js';
import type { Readiness } from './platform/rest/health.js';
import { hotRoutes } from './platform/rest/hot-routes.js';
import { metricsRoutes } from './platform/rest/metrics.js';
import { sendProblem } from './platform/rest/problem.js';
import { requestIdOf } from './platform/rest/request-id.js';
import { shownPath } from './platform/rest/shown-path.js';
import { wellFormedPath } from './platform/rest/well-formed-path.js';
import { leaveTrail, requestTrail } from './request-trail.js';
import { createSchema } from './schema.js';

export interface AppOptions {
  readonly config: Settings;
  readonly orm: MikroORM;
  /** Where lists may be read. */
  readonly replicas?: Replicas | undefined;
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
  const { orm, replicas, log, config, clock, metrics, readiness, closedBecause = () => undefined } = options;
  const schema = createSchema();
  const requestLog = new RequestLog(orm, log, metrics);
  const trail = requestTrail(requestLog, clock, metrics);
  const validationEvents = validationEventsOf(orm.em, { clock, log });
  const graphql = createGraphqlServer(schema);
  await graphql.start();

  const pubsub = new PubSub({ url: config.database.directUrl ?? orm.config.get('clientUrl'), log, metrics });

  const holderOfSecret = authSecret(options.authSecret);
  const callerWith = async (presented: string) =>
    holderOfSecret(presented) ?? authenticate(orm.em.fork(), presented, clock.now());
  const limits = gatewayLimits({ config: config.limits, orm, clock, log, metrics });
  const credentials = new CredentialGuard(limits, callerWith);
  const callerOf = async (req: Request) => {
    const presented = bearerOf(req.get('authorization'));
    // A bad credential is refused on public endpoints too: whoever sends one is mistaken about it.
    return presented === undefined ? ANONYMOUS : credentials.callerWith(presented, clientOf(req).ip);
  };
  const base = { orm, replicas, clock, log, metrics, pubsub, limits, settings: config };
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
        announce: (headers) => {
          if (!res.headersSent) res.set(headers);
        },
      }));
    };
  const address = clientAddress(config.server.trustedProxies);
  const subscriptions = createSubscriptions({
    ...{ schema, log, metrics },
    lookAgain: callerWith,
    authenticate: (presented, req) => credentials.callerWith(presented, address(req)),
    max: config.subscriptions.max,
    recheckMs: options.keyCheckMs ?? KEY_CHECK_MS,
    assertOpen: () => {
      assertOpen(closedBecause);
    },
    contextFor: (caller, req, requestId) =>
      new RequestContext({
        ...base,
        source: 'graphql',
        caller,
        requestId,
        client: clientOf(req, address(req)),
      }),
  });

  const { connections } = subscriptions;
  /** What both APIs have around their routes. */
  const around = (mount: (http: Express) => void): Express => {
    const http = express().disable('x-powered-by').set('etag', false).set('query parser', 'simple');
    if (config.server.trustedProxies.length > 0) http.set('trust proxy', [...config.server.trustedProxies]);
    http.use(firstHeaders);
    http.use(healthRoutes(readiness));
    http.use(leaveTrail(trail));
    http.use(onlyWhileOpen(closedBecause));
    http.use(wellFormedPath);
    mount(http);
    http.use((req: Request) => {
      throw failure('NOT_FOUND', `There is nothing at ${shownPath(req.path)}`);
    });
    http.use(lastResort(log));
    return http;
  };
  const http = around((http) => {
    if (config.server.docs) http.use(documentationPages({ document: 'openapi.json', graphiql: true }));
    http.use(
      metricsRoutes(metrics, async (req) => {
        requireScope(await callerOf(req), 'jobs:read');
      }),
    );
    http.options(['/graphql', '/graphql/stream'], (_req, res) => {
      res.status(204).set('Allow', 'GET, POST, OPTIONS').end();
    });
    http.all('/graphql/stream', subscriptions.eventStream, graphqlLastResort(log));
    http.use(
      '/graphql',
      async (req: Request, res: Response, next: NextFunction) => {
        await limitCaller(await contextOf('graphql')(req, res));
        next();
      },
      graphqlBody,
      expressMiddleware(graphql, { context: ({ res }) => Promise.resolve(contextIn(res)) }),
      graphqlLastResort(log),
    );
    http.use(restFacade(schema, licensingRoutes, contextOf('rest'), { connections, admit: limitCaller }));
  });
  const botHttp = around((http) => {
    if (config.server.docs) http.use(documentationPages({ document: 'openapi-bot.json', graphiql: false }));
    http.use(limitBotApi(limits));
    http.use(bearerFirst(botRoutes, contextOf('rest')));
    http.use(
      restFacade(schema, botRoutes, contextOf('rest'), { connections, bodyBytesMax: BOT_BODY_BYTES_MAX }),
    );
  });
  const hot = hotRoutes(schema, licensingRoutes, {
    log,
    clientOf: (req) => clientOf(req, address(req)),
    contextFor: (client, requestId, announce) =>
      new RequestContext({ ...base, source: 'rest', caller: ANONYMOUS, requestId, client, announce }),
    admit: () => {
      assertOpen(closedBecause);
    },
    onAnswer: trail,
  });
  const { upgrades: shouldUpgradeCallback } = subscriptions;
  const server = createHardenedServer({ ...config.server, shouldUpgradeCallback }, (req, res) => {
    if (!hot(req, res)) http(req, res);
  });
  server.on('upgrade', subscriptions.upgrade);
  return {
    server,
    botServer: createHardenedServer(config.server, botHttp),
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
      await validationEvents.close();
    },
  };
}

const firstHeaders: RequestHandler = (req, res, next) => {
  const requestId = requestIdOf(req);
  (res.locals as Locals).requestId = requestId;
  res.setHeader('X-Request-Id', requestId);
  for (const [name, value] of Object.entries(COMMON_HEADERS)) res.setHeader(name, value);
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
