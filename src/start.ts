import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { isIPv6 } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { MikroORM } from '@mikro-orm/postgresql';
import { createApp } from './app.js';
import type { App } from './app.js';
import { runBotRole } from './bot/holder/run-bot.js';
import type { Config, Settings } from './config.js';
import { firstKey } from './licensing/api-keys/first-key.service.js';
import { maintainLogPartitions } from './licensing/logs/log-partition.service.js';
import type { Clock } from './platform/clock.js';
import type { ActionContext } from './platform/context.js';
import { startEmbeddedPostgres } from './platform/db/embedded/embedded-postgres.js';
import type { EmbeddedPostgres } from './platform/db/embedded/embedded-postgres.js';
import { migrate, nativePool, ping } from './platform/db/orm.js';
import { waitForDatabase } from './platform/db/wait-for-database.js';
import { maintainJobHistory } from './platform/jobs/job-history.service.js';
import { collectQueueMetrics } from './platform/jobs/queue-metrics.js';
import type { Logger } from './platform/logger.js';
import { collectPoolMetrics, collectProcessMetrics, createMetrics } from './platform/metrics.js';
import type { Metrics } from './platform/metrics.js';
import { createHardenedServer } from './platform/rest/hardened-server.js';
import { operationsApp } from './platform/rest/operations-app.js';
import { unreadableTexts } from './platform/secrets/reseal.service.js';
import { ownSecret, ownSecretKey } from './platform/secret-key.js';
import { shareMetrics } from './platform/shared-metrics.js';
import type { OwnSecret } from './platform/secret-key.js';
import { openDatabases } from './open-databases.js';
import { startTracing } from './platform/tracing/start-tracing.js';
import { tracer } from './platform/tracing/tracing.js';
import { createSchema } from './schema.js';
import { SEALED_PLACES } from './sealed-places.js';

/** Starts the job runner; given from outside, since `src` does not know the jobs. */
export type StartWorker = (
  options: Pick<StartOptions, 'clock' | 'log'> & {
    config: Settings;
    orm: MikroORM;
    /** The same database past a pooler; the same object where there is none. */
    direct: MikroORM;
    metrics: Metrics;
  },
) => Promise<{
  stop(): Promise<void>;
}>;

export interface StartOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly startWorker: StartWorker;
  /** The embedded database has gone, and the process can't go on. */
  readonly onFatal: (reason: string) => void;
  /** Aborts a start that waits for the database. */
  readonly signal: AbortSignal;
}

export interface RunningServer {
  /** Where the gateway listens; undefined without that role. */
  readonly url: string | undefined;
  /** Where the bot API listens; undefined without the role gateway. */
  readonly botUrl: string | undefined;
  /** Where `METRICS.PORT` listens, if it is set. */
  readonly metricsUrl: string | undefined;
  /** The first API key, when this start made it; it can't be had again. */
  readonly firstKey: string | undefined;
  /** Where one chats with the bot in a browser of this machine; undefined without `BOT.SANDBOX`. */
  readonly sandboxUrl: string | undefined;
  /** The bot API's bearer, when this start made it; it is kept in `DATA_DIR`. */
  readonly firstSecret: string | undefined;
  readonly orm: MikroORM;
  /** Of the database: the configured one, or the embedded. */
  readonly databaseUrl: string;
  /** Not ready at once; in-flight requests end, batches are written, jobs released, and the database stops. */
  stop(): Promise<void>;
}

/** How long in-flight requests may take after the stop was asked for. */
const DRAIN_MS = 30_000;
/** Connections that may wait to be accepted: a burst beyond Node's own 511 would be reset. The system may allow less. */
export const LISTEN_BACKLOG = 4096;
const IDLE_CHECK_MS = 50;
/** Longer than proxies keep theirs (60 s by custom): the side that sends requests must be the first to hang up. */
const KEEP_ALIVE_MS = 65_000;

/** Starts what the roles ask for, in the order in which one thing needs another; stops it in reverse. */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const { config, log, clock } = options;
  const stack = new AsyncDisposableStack();
  try {
    const { tracing } = config;
    if (tracing.endpoint !== undefined) {
      stack.defer(await startTracing({ ...tracing, endpoint: tracing.endpoint, log }));
    }
    const embedded = config.database.url === undefined ? await startEmbedded(options) : undefined;
    if (embedded) stack.defer(() => embedded.stop());
    const databases = openDatabases(config, embedded?.url, log);
    const { orm, direct } = databases;
    stack.defer(() => databases.close());

    const settings: Settings = {
      ...config,
      secretKey: config.secretKey ?? (await ownSecretKey(config.dataDir)),
    };

    const metrics = createMetrics();
    if (cluster.isWorker || config.server.processes > 1) metrics.text = shareMetrics(metrics.registry);
    const replicas = databases.replicas(metrics);
    collectProcessMetrics(metrics);
    collectQueueMetrics(metrics, orm, log);

    const phase = { ready: false, reason: 'starting' };
    const readiness = () => readinessOf(phase, orm);
    let metricsUrl: string | undefined;
    if (config.metrics.port !== undefined) {
      const server = createHardenedServer(config.server, operationsApp({ metrics, readiness, log }));
      stack.defer(() => closeNow(server));
      metricsUrl = await listen(server, { host: config.metrics.host, port: config.metrics.port });
    }
    const secret = await authSecretOf(config);
    let listening: string | undefined;
    let botUrl: string | undefined;
    let app: App | undefined;
    if (config.roles.has('gateway')) {
      const closedBecause = () => (phase.ready ? undefined : phase.reason);
      const gateway = await createApp({
        ...{ orm, log, clock, metrics, config: settings, readiness, closedBecause, authSecret: secret.value },
        replicas,
      });
      const { server, botServer } = gateway;
      for (const each of [server, botServer]) tracer()?.watchServer(each);
      app = gateway;
      stack.defer(() => gateway.close());
      stack.defer(async () => {
        await Promise.all([drain(server, log), drain(botServer, log)]);
      });
      server.keepAliveTimeout = botServer.keepAliveTimeout = KEEP_ALIVE_MS;
      await listen(server, config.server);
      botUrl = await listen(botServer, { host: config.server.host, port: config.server.api.port });
      listening = urlOf(server, config);
    }
    await waitForDatabase(orm, log, options.signal);
    // Not before: the pool is had by a first connection.
    collectPoolMetrics(metrics, await nativePool(orm));
    if (direct !== orm) await waitForDatabase(direct, log, options.signal);
    const applied = await migrate(direct);
    if (applied.length > 0) log.info({ applied }, 'database migrated');
    const ctx: ActionContext = {
      ...{ log, clock, settings, metrics },
      caller: SYSTEM,
      source: 'cli',
      requestId: null,
    };
    await maintainLogPartitions(orm.em.fork(), ctx);
    await maintainJobHistory(orm.em.fork(), ctx);
    await checkSecretKey(orm, settings, log);
    const key = await firstKey(orm.em.fork(), ctx, config.apiKey);
    if (config.roles.has('worker')) {
      const worker = await options.startWorker({ orm, direct, log, clock, metrics, config: settings });
      stack.defer(() => worker.stop());
    }
    let sandboxUrl: string | undefined;
    if (config.roles.has('bot')) {
      const bot = await runBotRole({
        ...{ orm, url: databases.directUrl, schema: createSchema, secrets: [secret.value] },
        base: { clock, log, settings, metrics },
      });
      stack.defer(() => bot.stop());
      ({ sandboxUrl } = bot);
    }
    phase.ready = true;
    // Whatever comes next in shutting down, nobody should send more requests.
    stack.defer(() => {
      Object.assign(phase, { ready: false, reason: 'shutting down' });
      app?.endSubscriptions();
    });
    const firstSecret = secret.isNew && botUrl !== undefined ? secret.value : undefined;
    return {
      url: listening,
      botUrl,
      metricsUrl,
      sandboxUrl,
      firstKey: key,
      firstSecret,
      orm,
      databaseUrl: databases.url,
      stop: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** The bot API's bearer: the configured one, or one that is made at the first start and kept. */
async function authSecretOf({ auth, dataDir, roles }: Config): Promise<OwnSecret> {
  if (auth.secret !== undefined || !roles.has('gateway')) return { value: auth.secret ?? '', isNew: false };
  return ownSecret(dataDir, 'auth-secret');
}

/** Says it at once: otherwise each webhook, and each signed answer, would find out for itself. */
async function checkSecretKey(orm: MikroORM, settings: Settings, log: Logger): Promise<void> {
  const unreadable = await unreadableTexts(orm.em.fork(), settings, SEALED_PLACES);
  if (Object.keys(unreadable).length === 0) return;
  log.error(
    { unreadable },
    'Stored secrets were sealed with another SECRET_KEY; set it, or put it into SECRET_KEY_PREVIOUS. What needs one of them is answered 503',
  );
}

/** What the program itself does at start, before anyone could be named. */
const SYSTEM = { name: 'system', id: 'system', scopes: new Set(['*']), authenticated: true };

async function startEmbedded({ config, log, onFatal }: StartOptions): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir: config.dataDir, log, onUnexpectedExit: onFatal });
}

async function readinessOf(phase: { ready: boolean; reason: string }, orm: MikroORM) {
  if (!phase.ready) return { ready: false, reason: phase.reason };
  return ping(orm.em.fork()).then(
    () => ({ ready: true }),
    () => ({ ready: false, reason: 'the database does not answer' }),
  );
}

interface Place {
  readonly host: string;
  /** 0: whichever is free. */
  readonly port: number;
}

/** Resolves to the URL of where it listens; rejects with the 'error' event, e.g. EADDRINUSE. */
async function listen(server: Server, { host, port }: Place): Promise<string> {
  server.listen({ port, host, backlog: LISTEN_BACKLOG });
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${bound}`;
}

function urlOf(server: Server, config: Config): string {
  const { port } = server.address() as AddressInfo;
  return config.server.port === 0
    ? config.server.publicUrl.replace(/:0$/, `:${port}`)
    : config.server.publicUrl;
}

/** For what nobody waits for. */
async function closeNow(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Takes no new connections, and lets running requests end. */
async function drain(server: Server, log: Logger): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  // What was busy a moment ago becomes idle and would be kept alive for a next request.
  const idle = setInterval(() => {
    server.closeIdleConnections();
  }, IDLE_CHECK_MS);
  const deadline = setTimeout(() => {
    log.warn(`Requests still run ${DRAIN_MS / 1000} s after the stop; their connections are cut`);
    server.closeAllConnections();
  }, DRAIN_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
}
