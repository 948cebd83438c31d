import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { join } from 'node:path';
import { closeAfterwards } from './database.js';
import { ROOT, end, temporaryDirectory, until } from './embedded-postgres-kit.js';

/** The real program as a process of its own. */
export interface Program {
  readonly child: ChildProcess;
  readonly dataDir: string;
  /** All that it has written so far. */
  stdout(): string;
  stderr(): string;
  /** Where it says that it listens; rejects with its last words when it ends before. */
  ready(): Promise<string>;
  /** Its exit code, once it has ended; null when a signal ended it. */
  exit(): Promise<number | null>;
}

/** Starts `src/main.ts` in a fresh directory, or on the data of an earlier start. */
export function startProgram(
  env: Record<string, string> = {},
  dataDir?: string,
  args: readonly string[] = [],
): Program {
  const cwd = temporaryDirectory();
  const data = dataDir ?? join(cwd, 'data');
  const child = spawn(
    process.execPath,
    ['--import', join(ROOT, 'test/support/ts-loader.mjs'), join(ROOT, 'src/main.ts'), ...args],
    {
      cwd,
      // HOME is where the TypeScript compiler of the loader keeps its native part.
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        DATA_DIR: data,
        SERVER_PORT: '0',
        SERVER_API_PORT: '0',
        LIMITS_ENABLED: 'false',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  closeAfterwards(() => end(child, 'SIGTERM'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const closed = once(child, 'close');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const url = () => /^ *(?:Ready: )?REST +(http:\S+?),?(?: .*)?$/m.exec(stdout)?.[1];
  return {
    ...{ child, dataDir: data, stdout: () => stdout, stderr: () => stderr },
    ready: async () => {
      await until(() => url() !== undefined || hasEnded());
      const found = url();
      if (found === undefined) throw new Error(`The program ended instead:\n${stderr}\n${stdout}`);
      return found;
    },
    exit: async () => {
      await closed;
      return child.exitCode;
    },
  };
}

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A way to a database that can be shut and opened. */
export interface Gate {
  /** The database's URL by this way. */
  readonly url: string;
  open(): Promise<void>;
  shut(): Promise<void>;
}

/** A shut way to the database of a URL: until it is opened, its port refuses connections. */
export async function gateTo(databaseUrl: string): Promise<Gate> {
  const target = new URL(databaseUrl);
  const by = new URL(databaseUrl);
  const port = await freePort();
  by.hostname = '127.0.0.1';
  by.port = String(port);
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  const shut = async () => {
    const closed = server?.listening ? once(server, 'close') : undefined;
    server?.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  closeAfterwards(shut);
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  return {
    url: by.href,
    shut,
    open: async () => {
      server = createServer((from) => {
        const to = connect(Number(target.port), target.hostname);
        keep(from);
        keep(to);
        from.pipe(to).pipe(from);
      }).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}
