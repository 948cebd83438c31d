import 'reflect-metadata';
import { ConfigError, environment, loadConfig } from './config.js';
import type { Config } from './config.js';
import { startWithProcesses } from './gateway-processes.js';
import { systemClock } from './platform/clock.js';
import { EmbeddedPostgresError } from './platform/db/embedded/embedded-postgres.js';
import { DatabaseUnusable } from './platform/db/wait-for-database.js';
import { createLogger } from './platform/logger.js';
import type { Logger } from './platform/logger.js';
import { releaseMemory } from './platform/release-memory.js';
import { startServer } from './start.js';
import type { RunningServer, StartWorker } from './start.js';
import { welcome } from './welcome.js';

interface RunOptions {
  /** Of the command line; they go before the environment. */
  readonly arguments?: readonly string[];
  readonly adjust?: (config: Config) => Config;
  /** Told when everything runs; prints where it is unless it says otherwise. */
  readonly announce?: (server: RunningServer) => void;
}

/** A process from its first line to its exit code: configuration, start, signals, and a clear sentence if it can't. */
export async function run(startWorker: StartWorker, options: RunOptions = {}): Promise<void> {
  const { adjust = (given: Config) => given, announce } = options;
  let config: Config;
  try {
    config = adjust(loadConfig(environment(options.arguments)));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
    return;
  }
  const log = createLogger({ level: config.logs.level });
  const life = new Life(log);
  try {
    const hasProcesses = config.server.processes > 1 && config.roles.has('gateway');
    const start = hasProcesses ? startWithProcesses : startServer;
    const server = await start({
      ...{ config, log, startWorker, clock: systemClock, signal: life.signal },
      onFatal: (reason) => {
        log.fatal({ reason }, 'the embedded database has gone; this process ends');
        life.end(1);
      },
    });
    releaseMemory();
    life.begin(server);
    log.info(
      { roles: [...config.roles], url: server.url, botUrl: server.botUrl, metricsUrl: server.metricsUrl },
      'ready',
    );
    if (announce) announce(server);
    else process.stdout.write(welcome({ ...server, docs: config.server.docs }));
  } catch (error) {
    if (!life.signal.aborted) {
      log.debug({ err: error }, 'start failed');
      process.stderr.write(`${explain(error, config)}\n`);
      process.exitCode = 1;
    }
    life.begin(undefined);
  }
}

/** Signals, from the first moment on: a stop during the start ends the start. */
class Life {
  readonly #abort = new AbortController();
  readonly #log: Logger;
  #server: RunningServer | undefined;
  #started = false;
  #ending = false;

  constructor(log: Logger) {
    this.#log = log;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (this.#ending) return;
        log.info({ signal }, 'stopping');
        this.end(0);
      });
    }
    process.on('uncaughtException', (error) => {
      log.fatal({ err: error }, 'unexpected error; this process ends');
      this.end(1);
    });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The start is over, well (with a server) or not. */
  begin(server: RunningServer | undefined): void {
    this.#started = true;
    this.#server = server;
    if (this.#ending || !server) this.#finish();
  }

  end(exitCode: number): void {
    process.exitCode = Math.max(Number(process.exitCode ?? 0), exitCode);
    if (this.#ending) return;
    this.#ending = true;
    this.#abort.abort();
    if (this.#started) this.#finish();
  }

  #finish(): void {
    (this.#server?.stop() ?? Promise.resolve()).then(
      () => process.exit(),
      (error: unknown) => {
        this.#log.fatal({ err: error }, 'the stop failed');
        process.exit(1);
      },
    );
  }
}

function explain(error: unknown, { server, metrics, dataDir }: Config): string {
  if (error instanceof EmbeddedPostgresError || error instanceof DatabaseUnusable) return error.message;
  const { code, message, port, path } = error as NodeJS.ErrnoException & { port?: number };
  // In it, or on the way to it.
  if (path !== undefined && (path.startsWith(dataDir) || dataDir.startsWith(path))) {
    return `The data directory ${dataDir} can't be used: ${message}\nDATA_DIR may name another directory.`;
  }
  const main = { host: 'SERVER_HOST', port: 'SERVER_PORT', at: { host: server.host, port: server.port } };
  const places = [
    { host: 'METRICS_HOST', port: 'METRICS_PORT', at: { host: metrics.host, port: metrics.port } },
    { host: 'SERVER_HOST', port: 'SERVER_API_PORT', at: { host: server.host, port: server.api.port } },
  ];
  const { at, ...option } = places.find((place) => place.at.port === port) ?? main;
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${at.port ?? 0} of ${at.host} is taken. Stop what listens there, or set ${option.port} to another.`;
    case 'EACCES':
    case 'EADDRNOTAVAIL':
      return `Can't listen on ${at.host}:${at.port ?? 0} (${code}). Check ${option.host} and ${option.port}.`;
    default:
      return `The start failed: ${message || String(error)}`;
  }
}
