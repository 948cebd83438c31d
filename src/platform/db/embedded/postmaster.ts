import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Cluster } from './cluster.js';
import { LogLines } from './log-lines.js';
import { CHILD_ENVIRONMENT } from './run.js';

const FAST_SHUTDOWN_MS = 10_000;
/** PostgreSQL kills its own children after 5 s of an immediate shutdown. */
const IMMEDIATE_SHUTDOWN_MS = 10_000;
/** The last lines follow the exit at once, except where something else holds the pipe. */
const LAST_LINES_MS = 1_000;

const DEFAULT_SETTINGS = {
  timezone: 'UTC',
  log_timezone: 'UTC',
  max_connections: '100',
  shared_buffers: '128MB',
  log_min_messages: 'warning',
  // Statements hold license keys and other secrets, which have no place in a log.
  log_min_error_statement: 'panic',
};

/** What reading the log, finding the port and reaching nobody but this machine depend on. */
const FIXED_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_line_prefix: '',
  lc_messages: 'C',
};

export interface PostmasterExit {
  /** Nothing is wrong with an exit of status 0; somebody asked for it. */
  clean: boolean;
  /** 'exit status 1', 'signal SIGKILL', … */
  how: string;
}

/** A running `postgres` process, a child of ours. */
export interface Postmaster {
  readonly pid: number | undefined;
  readonly port: number;
  readonly lines: LogLines;
  /** Resolves when the process is gone and its last lines are read; never rejects. */
  readonly exited: Promise<PostmasterExit>;
  stop(): Promise<void>;
}

/** Starts PostgreSQL on the cluster; it is not ready yet when this returns. */
export function spawnPostmaster(
  cluster: Cluster,
  port: number,
  settings: Record<string, string>,
  log: Logger,
): Postmaster {
  const all = { ...DEFAULT_SETTINGS, ...settings, ...FIXED_SETTINGS, port: String(port) };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(cluster.binaries.postgres, ['-D', cluster.directory, ...args], {
    ...cluster.account,
    cwd: '/',
    env: CHILD_ENVIRONMENT,
    // A session of its own: Ctrl-C in a terminal goes to the whole process group, and PostgreSQL must outlive our draining.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines = new LogLines(log);
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    lines.add(chunk);
  });

  // An exit of ours that skips stop(), as after an uncaught exception, should leave no orphan either.
  const stopWithUs = () => child.kill('SIGINT');
  process.once('exit', stopWithUs);

  const gone = Promise.withResolvers<PostmasterExit>();
  const drained = Promise.withResolvers<undefined>();
  child.once('error', (error) => {
    if (child.pid !== undefined) return; // a signal that could not be delivered
    drained.resolve(undefined);
    gone.resolve({ clean: false, how: error.message });
  });
  child.once('exit', (code, signal) => {
    gone.resolve({
      clean: code === 0,
      how: signal ? `signal ${signal}` : `exit status ${code ?? 'unknown'}`,
    });
  });
  child.once('close', () => {
    drained.resolve(undefined);
  });
  const exited = gone.promise.then(async (exit) => {
    process.off('exit', stopWithUs);
    await within(LAST_LINES_MS, drained.promise);
    return exit;
  });

  async function stop(): Promise<void> {
    lines.phase = 'stopping';
    for (const [signal, patience] of [
      ['SIGINT', FAST_SHUTDOWN_MS],
      ['SIGQUIT', IMMEDIATE_SHUTDOWN_MS],
      ['SIGKILL', IMMEDIATE_SHUTDOWN_MS],
    ] as const) {
      child.kill(signal);
      if (await within(patience, exited)) return;
    }
  }

  return { pid: child.pid, port, lines, exited, stop };
}

/** Whether the promise settles in time. Leaves no timer behind. */
async function within(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(milliseconds, false, { signal: timer.signal }).catch(() => false);
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    timer.abort();
  }
}
