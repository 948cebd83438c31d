import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { pino } from 'pino';
import type { EmbeddedPostgres } from '../../src/platform/db/embedded/embedded-postgres.js';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/embedded-postgres.js';

export const ROOT = join(import.meta.dirname, '../..');
export const log = pino({ level: 'silent' });

const directories: string[] = [];
const servers: EmbeddedPostgres[] = [];
const owners: ChildProcess[] = [];

/** What a started owner process says first: its URL, or why it has none. */
export interface Owner {
  child: ChildProcess;
  url?: string;
  code?: string;
  message?: string;
}

/** A fresh directory that every user may pass through, as mkdtemp's are not. */
export function temporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'embedded-postgres-')));
  chmodSync(directory, 0o755);
  directories.push(directory);
  return directory;
}

/** Starts a PostgreSQL in this process, without the disk flushes that no test needs. */
export async function start(
  dataDir: string,
  onUnexpectedExit?: (reason: string) => void,
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({
    dataDir,
    log,
    settings: { fsync: 'off' },
    ...(onUnexpectedExit && { onUnexpectedExit }),
  });
  servers.push(server);
  return server;
}

/** Starts another process that owns a PostgreSQL; `root` is the project it runs from. */
export async function startOwner(dataDir: string, root = ROOT): Promise<Owner> {
  const support = join(root, 'test/support');
  const child = spawn(
    process.execPath,
    ['--import', join(support, 'ts-loader.mjs'), join(support, 'embedded-postgres-owner.ts'), dataDir],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  owners.push(child);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  for await (const line of createInterface(child.stdout)) {
    return { child, ...(JSON.parse(line) as Omit<Owner, 'child'>) };
  }
  throw new Error(`the owner ended without a word: ${errors}`);
}

/** Runs one statement on its own connection. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** The pid in a cluster's postmaster.pid. */
export function postmasterPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Whether a process runs; one that has ended but was never collected does not. */
export function lives(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Waits for a condition; the test's own time limit is the only one. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(20);
}

/** Ends a process and waits until it is gone. */
export async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exit;
}

/** Stops and removes all that the tests have started and made. */
export async function cleanUp(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  await Promise.all(owners.splice(0).map((owner) => end(owner, 'SIGTERM')));
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
}
