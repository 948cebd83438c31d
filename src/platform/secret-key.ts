import { existsSync } from 'node:fs';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from './make-directory.js';
import { randomToken } from './random.js';

export interface OwnSecret {
  readonly value: string;
  /** Made just now, so that it can be shown once. */
  readonly isNew: boolean;
}

/** The secret key kept in a data directory (mode 0600), made at first use. Two processes at once get the same. */
export async function ownSecretKey(dataDir: string): Promise<string> {
  return (await ownSecret(dataDir, 'secret-key')).value;
}

/** A secret kept in a data directory under a name, as {@link ownSecretKey}. */
export async function ownSecret(dataDir: string, name: string): Promise<OwnSecret> {
  const path = join(dataDir, name);
  await makeDirectory(dataDir);
  if (existsSync(path)) return { value: await read(path), isNew: false };
  const draft = `${path}.${randomToken()}`;
  await writeFile(draft, `${randomToken()}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // It is there as a whole or not at all, and whoever comes second reads what the first has made.
    await link(draft, path);
    return { value: await read(path), isNew: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return { value: await read(path), isNew: false };
  } finally {
    await unlink(draft);
  }
}

async function read(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).trim();
}
