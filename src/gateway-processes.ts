import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Config } from './config.js';
import type { Logger } from './platform/logger.js';
import { startServer } from './start.js';
import type { RunningServer, StartOptions } from './start.js';

/** What a gateway's process tells the first one when it answers. */
type Told = Pick<RunningServer, 'url' | 'botUrl' | 'firstSecret'>;

/** How long until a process that ended by itself has a successor. */
const AGAIN_AFTER_MS = 1_000;

/**
 * The same server on many processors: `SERVER.PROCESSES` processes answer HTTP on the same ports, and this one has the
 * database, the other roles, and an eye on them.
 */
export async function startWithProcesses(options: StartOptions): Promise<RunningServer> {
  const { config, log, signal } = options;
  const roles = new Set([...config.roles].filter((role) => role !== 'gateway'));
  const first = await startServer({ ...options, config: { ...config, roles } });
  const processes = new GatewayProcesses(first.databaseUrl, log);
  try {
    const told = await processes.start(config.server.processes, signal);
    const firstSecret = told.find((each) => each.firstSecret !== undefined)?.firstSecret;
    const stop = async () => {
      await processes.stop();
      await first.stop();
    };
    return { ...first, ...told[0], firstSecret, stop };
  } catch (error) {
    await processes.stop();
    await first.stop();
    throw error;
  }
}

/** One of these processes: the gateway and nothing else. */
export function asGatewayProcess(config: Config): Config {
  return {
    ...config,
    roles: new Set(['gateway'] as const),
    server: { ...config.server, processes: 1 },
    metrics: { ...config.metrics, port: undefined },
  };
}

export function tellFirstProcess({ url, botUrl, firstSecret }: RunningServer): void {
  process.send?.({ listens: { url, botUrl, firstSecret } satisfies Told });
}

/** Starts processes, and starts another when one ends by itself. */
class GatewayProcesses {
  readonly #databaseUrl: string;
  readonly #log: Logger;
  readonly #running = new Set<Worker>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #isStopping = false;

  constructor(databaseUrl: string, log: Logger) {
    this.#databaseUrl = databaseUrl;
    this.#log = log;
  }

  /** Resolves when all of them answer; rejects when one ends instead, which has said why. */
  async start(count: number, signal: AbortSignal): Promise<Told[]> {
    // What they were started with is the first one's business.
    cluster.setupPrimary({ args: [] });
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(new Error('The start was aborted'));
      });
    });
    const workers = Array.from({ length: count }, () => this.#fork());
    const told = await Promise.race([Promise.all(workers.map(listening)), aborted]);
    for (const worker of workers) this.#watch(worker);
    return told;
  }

  /** Lets each end what it is doing. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const restart of this.#restarts) clearTimeout(restart);
    const running = [...this.#running].filter((worker) => !worker.isDead());
    const gone = running.map((worker) => once(worker, 'exit'));
    for (const worker of running) worker.process.kill('SIGTERM');
    await Promise.all(gone);
  }

  #fork(): Worker {
    // Theirs is the first one's database, which may be the embedded one.
    const worker = cluster.fork({ DATABASE_URL: this.#databaseUrl });
    this.#running.add(worker);
    worker.once('exit', () => this.#running.delete(worker));
    return worker;
  }

  #watch(worker: Worker): void {
    worker.once('exit', (code, signal) => {
      if (this.#isStopping) return;
      const { pid } = worker.process;
      this.#log.error({ pid, code, signal }, 'a process of the gateway ended; another takes its place');
      const restart = setTimeout(() => {
        this.#restarts.delete(restart);
        this.#watch(this.#fork());
      }, AGAIN_AFTER_MS);
      this.#restarts.add(restart);
    });
  }
}

/** What a process tells once it answers; rejects when it ends before. */
function listening(worker: Worker): Promise<Told> {
  return new Promise((resolve, reject) => {
    worker.on('message', ({ listens }: { readonly listens?: Told }) => {
      if (listens) resolve(listens);
    });
    worker.once('exit', (code: number | null) => {
      reject(new Error(`A process of the gateway ended with ${code ?? 'a signal'} instead of starting`));
    });
  });
}
