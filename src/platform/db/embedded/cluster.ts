import { chmod, lstat, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { makeDirectory } from '../../make-directory.js';
import type { Account } from './account.js';
import { canEnter, giveTree, isRoot, systemAccount } from './account.js';
import type { Binaries } from './binaries.js';
import { findBinaries } from './binaries.js';
import { createCluster } from './cluster-creation.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { readOrCreatePassword, readPassword } from './password.js';
import { codeOf } from './run.js';

const TOO_OPEN = 0o027;

/** A PostgreSQL data directory that is ready to be started. */
export interface Cluster {
  /** The operator's data directory. */
  dataDir: string;
  /** PostgreSQL's own directory: `<dataDir>/postgres`, or where that link leads. */
  directory: string;
  binaries: Binaries;
  password: string;
  /** Whom PostgreSQL runs as, where that is not ourselves. */
  account: Account | undefined;
}

export interface ClusterOptions {
  dataDir: string;
  log: Logger;
  settings: Record<string, string>;
}

/** The cluster of a data directory; created at the first start. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  await makeDirectory(options.dataDir);
  const dataDir = await realpath(options.dataDir);
  const existing = await findCluster(dataDir);
  if (existing) {
    const account = await accountOf(existing);
    const password = await readPassword(dataDir);
    if (!password) {
      throw cannot(`${dataDir} holds a database but not its password; restore the file postgres-password.`);
    }
    return {
      dataDir,
      directory: existing,
      account,
      password,
      binaries: await findBinaries(account, options.log),
    };
  }

  const account = isRoot() ? await systemAccount() : undefined;
  const binaries = await findBinaries(account, options.log);
  const password = await readOrCreatePassword(dataDir);
  const draft = { dataDir, account, binaries, password };
  try {
    return {
      ...draft,
      directory: await createCluster({ ...draft, log: options.log, settings: options.settings }),
    };
  } catch (error) {
    // Of two first starts one publishes its cluster, and then clears away what the other has begun.
    const winner = await findCluster(dataDir);
    if (!winner) throw error;
    return { ...draft, directory: winner };
  }
}

/** The real path of the cluster, if there is a complete one. */
async function findCluster(dataDir: string): Promise<string | undefined> {
  const path = join(dataDir, 'postgres');
  let directory: string;
  try {
    directory = await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    const dangling = await lstat(path).catch(() => undefined);
    if (dangling)
      throw cannot(`${path} is a link to a directory that is gone. Restore it, or remove the link.`);
    return undefined;
  }
  const { uid, mode } = await stat(directory);
  const us = process.getuid?.();
  if (us !== uid && !isRoot()) {
    throw cannot(
      `${directory} belongs to user ${uid}, and this server runs as ${us ?? 'another'}. Start it as that user.`,
    );
  }
  const entries = await readdir(directory);
  if (entries.includes('PG_VERSION')) {
    // Copies and Kubernetes volumes come with wider modes, and PostgreSQL refuses those.
    if ((mode & TOO_OPEN) !== 0) await chmod(directory, 0o700);
    return directory;
  }
  if (entries.length === 0) return undefined; // made by hand, or by a mount; createCluster takes its place
  throw cannot(
    `${directory} is neither empty nor a PostgreSQL cluster. Move it away, or set another DATA_DIR.`,
  );
}

/** A cluster runs as whoever owns it, so that root may start what an ordinary user began, and the other way round. */
async function accountOf(directory: string): Promise<Account | undefined> {
  if (!isRoot()) return undefined;
  const { uid, gid } = await stat(directory);
  const account = uid === 0 ? await systemAccount() : { uid, gid };
  if (uid === 0) await giveTree(directory, account); // restored from a backup by root
  if (!(await canEnter(dirname(directory), account))) {
    throw cannot(
      `The system user ${account.uid}, which PostgreSQL runs as, may not enter ${dirname(directory)}. ` +
        'Let others pass through it and the directories above (chmod o+x), or move the data directory.',
    );
  }
  return account;
}

function cannot(message: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError('CANNOT_START', message);
}
