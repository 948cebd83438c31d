import { chmod, cp, mkdir, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Account } from './account.js';
import { canEnter } from './account.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { codeOf } from './run.js';

/** Where root puts what the `postgres` user cannot reach otherwise. */
export const SHARED_DIR = '/var/lib/licensing-gateway';

export interface Binaries {
  initdb: string;
  postgres: string;
}

/**
 * The PostgreSQL programs of this platform, at a place that the account can execute them from.
 *
 * They are the packages that `embedded-postgres` chooses from. Its class is not used: its exit hook stops PostgreSQL
 * at SIGINT and SIGTERM, before our own shutdown has drained, and it writes the password to a readable file in /tmp.
 */
export async function findBinaries(account: Account | undefined, log: Logger): Promise<Binaries> {
  const installed = await installedBinaries();
  const native = dirname(dirname(installed.postgres));
  if (!account) {
    await makeExecutable(installed);
    return installed;
  }
  if (await canExecute(native, account)) return installed;
  const shared = await copyToSharedDir(native, log);
  return { initdb: join(shared, 'bin', 'initdb'), postgres: join(shared, 'bin', 'postgres') };
}

/** Makes `/var/lib/licensing-gateway/<names>`, open to every user whatever our umask is. */
export async function makeSharedDir(...names: string[]): Promise<string> {
  let directory = SHARED_DIR;
  for (const next of [undefined, ...names]) {
    if (next) directory = join(directory, next);
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o755);
  }
  return directory;
}

async function installedBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  // Windows has packages too, but neither signals nor the file modes that the rest here relies on.
  if (process.platform !== 'linux' && process.platform !== 'darwin') throw unsupported(platform);
  try {
    return (await import(`@embedded-postgres/${platform}`)) as Binaries;
  } catch (error) {
    const missing = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(codeOf(error) ?? '');
    throw missing ? unsupported(platform, error) : error;
  }
}

function unsupported(platform: string, cause?: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'UNSUPPORTED_PLATFORM',
    `There is no built-in PostgreSQL for ${platform} (or it was left out by 'npm install --omit=optional'). ` +
      'Set DATABASE_URL to a PostgreSQL of your own.',
    { cause },
  );
}

/** Some package managers drop the modes. Only a missing one is set: the tree may be read-only. */
async function makeExecutable(binaries: Binaries): Promise<void> {
  for (const path of [binaries.initdb, binaries.postgres]) {
    const { mode } = await stat(path);
    if ((mode & 0o111) === 0) await chmod(path, mode | 0o111);
  }
}

async function canExecute(native: string, account: Account): Promise<boolean> {
  // Program files have the same bits as directories, and an install under umask 077 closes all of them alike.
  for (const part of ['bin/postgres', 'bin/initdb', 'lib/postgresql', 'share/postgresql']) {
    if (!(await canEnter(join(native, part), account))) return false;
  }
  return true;
}

async function copyToSharedDir(native: string, log: Logger): Promise<string> {
  const manifest = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const target = join(await makeSharedDir(), `postgresql-${manifest.version}`);
  if (await exists(target)) return target;

  const copy = `${target}.${randomBytes(6).toString('hex')}`;
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await openTree(copy);
  await rename(copy, target).catch(async (error: unknown) => {
    await rm(copy, { recursive: true });
    // Another start was faster; its copy is as good.
    if (!(await exists(target))) throw error;
  });
  log.info({ from: native, to: target }, 'copied PostgreSQL to where its system user can execute it');
  return target;
}

async function openTree(root: string): Promise<void> {
  await chmod(root, 0o755);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory() || entry.parentPath === join(root, 'bin')) await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, 0o644); // libraries are mapped, not executed
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
