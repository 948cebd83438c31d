import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import type { Account } from './account.js';
import { canEnter } from './account.js';
import { makeSharedDir, SHARED_DIR } from './binaries.js';
import type { Binaries } from './binaries.js';
import { run } from './run.js';

/** What every unfinished thing in the data directory is called, so that it can be told and cleared away. */
const DRAFT = 'postgres.init-';
const CLUSTERS_DIR = join(SHARED_DIR, 'clusters');

export interface ClusterDraft {
  dataDir: string;
  binaries: Binaries;
  password: string;
  account: Account | undefined;
  log: Logger;
  settings: Record<string, string>;
}

/**
 * Creates a cluster and publishes it as `<dataDir>/postgres` in one step: an initdb that was killed half-way leaves
 * only a draft. Returns the cluster's real path; throws where another start has published first.
 */
export async function createCluster(draft: ClusterDraft): Promise<string> {
  const id = randomBytes(8).toString('hex');
  const { account, dataDir } = draft;
  if (!account || (await canEnter(dataDir, account))) return createInPlace(draft, join(dataDir, DRAFT + id));
  return createElsewhere(draft, id);
}

/** Removes what killed first starts have left. Only for the owner of the data directory. */
export async function removeDrafts(dataDir: string, directory: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(DRAFT)) continue;
    const path = join(dataDir, name);
    const target = await readlink(path).catch(() => undefined);
    if (target && target !== directory && dirname(target) === CLUSTERS_DIR) await removeTrees(target);
    await rm(path, { recursive: true, force: true });
  }
}

async function createInPlace(draft: ClusterDraft, path: string): Promise<string> {
  const target = join(draft.dataDir, 'postgres');
  try {
    await initdb(draft, path);
    await rename(path, target); // fails where a cluster is there already
    await flushDirectory(draft.dataDir);
    return target;
  } catch (error) {
    await removeTrees(path);
    throw error;
  }
}

async function createElsewhere(draft: ClusterDraft, id: string): Promise<string> {
  await makeSharedDir('clusters');
  const path = join(CLUSTERS_DIR, id);
  const note = join(draft.dataDir, DRAFT + id);
  await symlink(path, note); // first, so that removeDrafts finds the draft wherever we are killed
  try {
    await initdb(draft, path);
    await flushDirectory(CLUSTERS_DIR);
    await symlink(path, join(draft.dataDir, 'postgres')); // fails where a cluster is there already
    await flushDirectory(draft.dataDir);
  } catch (error) {
    await removeTrees(path);
    throw error;
  } finally {
    await rm(note, { force: true });
  }
  draft.log.info(
    { dataDir: draft.dataDir, cluster: path },
    'the data directory is closed to the system user that PostgreSQL runs as; its files are kept elsewhere, behind a link',
  );
  return path;
}

async function initdb(draft: ClusterDraft, path: string): Promise<void> {
  const passwordFile = passwordFileOf(path);
  await mkdir(path, { mode: 0o700 });
  await writeFile(passwordFile, draft.password, { mode: 0o600 });
  if (draft.account) {
    await chown(path, draft.account.uid, draft.account.gid);
    await chown(passwordFile, draft.account.uid, draft.account.gid);
  }
  try {
    await run(
      draft.binaries.initdb,
      [
        ...['--pgdata', path, '--username', 'postgres', '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
        // Sorting and case mapping by PostgreSQL's own tables: the same on every machine and after an upgrade of its libc.
        ...[
          '--encoding',
          'UTF8',
          '--locale-provider',
          'builtin',
          '--builtin-locale',
          'C.UTF-8',
          '--no-locale',
        ],
        ...['--no-instructions', ...(draft.settings['fsync'] === 'off' ? ['--no-sync'] : [])],
      ],
      draft.account,
    );
  } finally {
    await rm(passwordFile, { force: true });
  }
}

function passwordFileOf(path: string): string {
  return `${path}.password`;
}

async function removeTrees(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await rm(passwordFileOf(path), { force: true });
}

/** Without it a power cut could take back the name of a cluster that has data already, and removeDrafts would take the rest. */
async function flushDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
