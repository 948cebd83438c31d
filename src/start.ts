import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MikroORM } from '@mikro-orm/postgresql';
import { migrations } from '../migrations/index.js';
import { createApp } from './app.js';
import type { App } from './app.js';
import type { Config, Settings } from './config.js';
import { firstKey } from './licensing/api-keys/first-key.service.js';
import { licensingEntities } from './licensing/entities.js';
import { maintainLogPartitions } from './licensing/logs/log-partition.service.js';
import type { Clock } from './platform/clock.js';
import type { ActionContext } from './platform/context.js';
import { startEmbeddedPostgres } from './platform/db/embedded/embedded-postgres.js';
import type { EmbeddedPostgres } from './platform/db/embedded/embedded-postgres.js';
import { createOrm, migrate, ping } from './platform/db/orm.js';
import { waitForDatabase } from './platform/db/wait-for-database.js';
import type { Logger } from './platform/logger.js';
import { ownSecretKey } from './platform/secret-key.js';

/** Starts the job runner; given from outside, since `src` does not know the jobs. */
export type StartWorker = (
  options: Pick<StartOptions, 'clock' | 'log'> & { config: Settings; orm: MikroORM },
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
  /** The first API key, when this start made it; it can't be had again. */
  readonly firstKey: string | undefined;
  readonly orm: MikroORM;
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
    const embedded = config.database.url === undefined ? await startEmbedded(options) : undefined;
    if (embedded) stack.defer(() => embedded.stop());
    const url = config.database.url ?? embedded?.url ?? '';
    const orm = createOrm({
      url,
      poolMax: config.database.poolMax,
      entities: licensingEntities,
      migrations,
      log,
    });
    stack.defer(() => orm.close(true));

    const settings: Settings = {
      ...config,
      secretKey: config.secretKey ?? (await ownSecretKey(config.dataDir)),
    };

    const phase = { ready: false, reason: 'starting' };
    let listening: string | undefined;
    if (config.roles.has('gateway')) {
      const readiness = () => readinessOf(phase, orm);
      const closedBecause = () => (phase.ready ? undefined : phase.reason);
      const app = await createApp({ orm, log, clock, config: settings, readiness, closedBecause });
      const server = createServer(app.http);
      stack.defer(() => drain(server, app, log));
      server.keepAliveTimeout = KEEP_ALIVE_MS;
      await listen(server, config);
      listening = urlOf(server, config);
    }
    await waitForDatabase(orm, log, options.signal);
    const applied = await migrate(orm);
    if (applied.length > 0) log.info({ applied }, 'database migrated');
    const ctx: ActionContext = {
      ...{ log, clock, settings },
      caller: SYSTEM,
      source: 'cli',
      requestId: null,
    };
    await maintainLogPartitions(orm.em.fork(), ctx);
    const key = await firstKey(orm.em.fork(), ctx, config.apiKey);
    if (config.roles.has('worker')) {
      const worker = await options.startWorker({ orm, log, clock, config: settings });
      stack.defer(() => worker.stop());
    }
    phase.ready = true;
    // Whatever comes next in shutting down, nobody should send more requests.
    stack.defer(() => {
      Object.assign(phase, { ready: false, reason: 'shutting down' });
    });
    return { url: listening, firstKey: key, orm, stop: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
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

async function listen(server: Server, { server: { host, port } }: Config): Promise<void> {
  server.listen({ port, host, backlog: LISTEN_BACKLOG });
  // Rejects with the 'error' event, e.g. EADDRINUSE.
  await once(server, 'listening');
}

function urlOf(server: Server, config: Config): string {
  const { port } = server.address() as AddressInfo;
  return config.server.port === 0
    ? config.server.publicUrl.replace(/:0$/, `:${port}`)
    : config.server.publicUrl;
}

/** Takes no new connections, lets running requests end, and writes what the gateway has gathered. */
async function drain(server: Server, app: App, log: Logger): Promise<void> {
  if (server.listening) {
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
  await app.close();
}
