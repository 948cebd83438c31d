import { lchown, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { codeOf, run } from './run.js';

/** The system user that PostgreSQL runs as. */
export interface Account {
  uid: number;
  gid: number;
}

const NAME = 'postgres';
const EXECUTE = 0o1;

/** PostgreSQL refuses to run as root, so only root needs another account. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The system user `postgres`, created where there is none. Needs root. */
export async function systemAccount(): Promise<Account> {
  const existing = await lookUp();
  if (existing) return existing;
  const reasons: unknown[] = [];
  for (const create of [createWithShadow, createWithBusybox]) {
    await create().catch((error: unknown) => reasons.push(error));
    const created = await lookUp();
    if (created) return created;
  }
  throw new EmbeddedPostgresError(
    'CANNOT_START',
    `PostgreSQL does not run as root, and the system user '${NAME}' could not be created for it. ` +
      'Create that user, or start the server as an ordinary user, or set DATABASE_URL.',
    { cause: new AggregateError(reasons) },
  );
}

/** Whether the mode bits let the account through `directory` and every directory above it. */
export async function canEnter(directory: string, account: Account): Promise<boolean> {
  let current = await realpath(directory);
  for (;;) {
    const { mode, uid, gid } = await stat(current);
    const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
    if (((mode >> shift) & EXECUTE) === 0) return false;
    const parent = dirname(current);
    if (parent === current) return true;
    current = parent;
  }
}

/** Gives a whole tree to the account. */
export async function giveTree(directory: string, account: Account): Promise<void> {
  await lchown(directory, account.uid, account.gid);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), account.uid, account.gid);
  }
}

async function lookUp(): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', NAME]), run('id', ['-g', NAME])]);
    return { uid: Number.parseInt(uid, 10), gid: Number.parseInt(gid, 10) };
  } catch (error) {
    // No such program is another matter than no such user, which is an exit status.
    if (codeOf(error) === 'ENOENT') throw error;
    return undefined;
  }
}

async function createWithShadow(): Promise<void> {
  await run('groupadd', ['--system', '--force', NAME]);
  await run('useradd', [
    ...['--system', '--no-create-home', '--gid', NAME],
    ...['--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin', NAME],
  ]);
}

async function createWithBusybox(): Promise<void> {
  await run('addgroup', ['-S', NAME]).catch(() => undefined); // the group may be there already
  await run('adduser', ['-S', '-D', '-H', '-G', NAME, '-h', '/nonexistent', '-s', '/sbin/nologin', NAME]);
}
