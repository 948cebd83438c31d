import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from './run.js';

const FILE = 'postgres-password';

/** The superuser's password, kept in `<dataDir>/postgres-password`; created at first use. */
export async function readOrCreatePassword(dataDir: string): Promise<string> {
  const path = join(dataDir, FILE);
  const existing = await readPassword(dataDir);
  if (existing) return existing;

  // link() fails where a name exists, so of two first starts one decides and both use the same password.
  const draft = join(dataDir, `postgres.init-password-${randomBytes(6).toString('hex')}`);
  await writeFile(draft, randomBytes(24).toString('hex') + '\n', { mode: 0o600, flush: true });
  try {
    await link(draft, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const decided = await readPassword(dataDir);
  if (!decided) throw new Error(`${path} is empty`);
  return decided;
}

/** The password, if there is one yet. */
export async function readPassword(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, FILE), 'utf8')).trim() || undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
