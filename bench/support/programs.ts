import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const API_KEY = 'a-key-that-only-the-benchmark-has-32+';

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).error === undefined;
/** The program under test has the first processor to itself; load and Postgres have the others. */
export const PIN_PROGRAM: readonly string[] = canPin ? ['taskset', '-c', '0'] : [];
export const PIN_LOAD: readonly string[] = canPin ? ['taskset', '-c', `1-${availableParallelism() - 1}`] : [];

export interface Running {
  readonly url: string;
  /** Resident memory in MiB, now. */
  memory(): number;
  stop(): Promise<void>;
}

/** The built program, a gateway alone, with everything on but rate limits. */
export async function startProduct(
  databaseUrl: string,
  env: Record<string, string> = {},
  pin = PIN_PROGRAM,
): Promise<Running> {
  const port = await freePort();
  return start([...pin, process.execPath, ...startArguments()], port, /Ready|REST +http/, {
    ...{ DATABASE_URL: databaseUrl, SERVER_PORT: String(port), SERVER_API_PORT: '0', ROLES: 'gateway' },
    ...{
      API_KEY,
      SECRET_KEY: API_KEY,
      LOGS_LEVEL: 'warn',
      NODE_ENV: 'production',
      LIMITS_ENABLED: 'false',
    },
    ...env,
  });
}

/** As `npm start` has them. */
function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').slice(1);
}

/** A program of `bench/limits`, which takes `PORT` and `DATABASE_URL`. */
export async function startLimit(
  name: string,
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<Running> {
  const port = await freePort();
  return start([...PIN_PROGRAM, process.execPath, `bench/limits/${name}.mjs`], port, /ready/, {
    ...{ DATABASE_URL: databaseUrl, PORT: String(port) },
    ...env,
  });
}

async function start(
  line: readonly string[],
  port: number,
  ready: RegExp,
  env: Record<string, string>,
): Promise<Running> {
  const [command = '', ...args] = line;
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await saying(child, ready);
  return {
    url: `http://127.0.0.1:${port}`,
    memory: () => residentMebibytes(child.pid),
    stop: async () => {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}

async function saying(child: ChildProcess, words: RegExp): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (words.test(output)) resolve();
    });
    child.once('exit', () => {
      reject(new Error(`A program ended instead of starting:\n${output}`));
    });
  });
}

function residentMebibytes(pid: number | undefined): number {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0; // not Linux
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
