import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export const ROOT = join(import.meta.dirname, '../..');

interface Start {
  readonly env?: Readonly<Record<string, string>>;
  /** As the user `postgres`, where this is root: PostgreSQL and pgbouncer refuse to run as root. */
  readonly asPostgres?: true;
}

/** A process of an experiment. What it writes is in `<stage>/<name>.log`. */
export interface Actor {
  readonly name: string;
  readonly child: ChildProcess;
  readonly hasEnded: () => boolean;
  log(): string;
  /** Ends it, and resolves once it has. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Where an experiment takes place: a directory of its own, free ports, and processes that end with it. */
export class Stage {
  readonly directory = mkdtempSync(join(tmpdir(), 'licensing-operating-'));
  readonly #actors: Actor[] = [];
  readonly #postgres = process.getuid?.() === 0 ? userNamed('postgres') : undefined;

  constructor() {
    chmodSync(this.directory, 0o755);
  }

  /** A directory within, which the user `postgres` may write to. */
  folder(name: string): string {
    const path = join(this.directory, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (this.#postgres) chownSync(path, this.#postgres.uid, this.#postgres.gid);
    return path;
  }

  start(name: string, command: string, args: readonly string[], { env = {}, asPostgres }: Start = {}): Actor {
    const path = join(this.directory, `${name}.log`);
    const out = createWriteStream(path, { flags: 'a' });
    const child = spawn(command, args, {
      cwd: this.directory,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(asPostgres ? this.#postgres : {}),
    });
    child.stdout.pipe(out, { end: false });
    child.stderr.pipe(out, { end: false });
    const closed = once(child, 'close').catch(() => undefined);
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    const actor: Actor = {
      ...{ name, child, hasEnded },
      log: () => readFileSync(path, 'utf8'),
      end: async (signal) => {
        if (!hasEnded()) child.kill(signal);
        await closed;
      },
    };
    this.#actors.push(actor);
    return actor;
  }

  /** Runs a command to its end; resolves to what it has written. Throws what it says when it fails. */
  run(command: string, args: readonly string[], { env = {}, asPostgres }: Start = {}): string {
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      cwd: this.directory,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      ...(asPostgres ? this.#postgres : {}),
    });
    if (error) throw error;
    if (status !== 0)
      throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
    return stdout;
  }

  /** Ends everything, the last one first, and leaves nothing behind. */
  async close(): Promise<void> {
    // SIGINT: PostgreSQL would wait for its clients else.
    for (const actor of this.#actors.reverse()) {
      const ended = actor.end(actor.name.startsWith('postgres') ? 'SIGINT' : 'SIGTERM');
      await Promise.race([ended, delay(15_000, undefined, { ref: false })]);
      if (!actor.hasEnded()) await actor.end('SIGKILL');
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Waits for a condition; throws what was waited for when it doesn't come. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  seconds = 60,
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`This did not come true within ${seconds} s: ${what}`);
    await delay(20);
  }
}

/** Below what the system gives to outgoing connections: nobody takes one of these before it is listened on. */
const PORTS = { from: 20_000, count: 12_000 } as const;

/** Ports that nobody listens on. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = PORTS.from + randomInt(PORTS.count);
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  return [...found];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** Tells what was found, as the report has it. */
export function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

function userNamed(name: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
  const user = { uid: id('-u'), gid: id('-g') };
  if (!user.uid) throw new Error(`There is no user '${name}': install Debian's postgresql first`);
  return user;
}
