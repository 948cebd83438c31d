import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { connect, serves, urlOf } from './connection.js';
import { readPassword } from './password.js';
import { readPidFile } from './pid-file.js';
import { codeOf } from './run.js';

/**
 * Where the built-in PostgreSQL of a data directory answers, while another process runs it; undefined where none does.
 * Changes nothing, so whatever is wrong is left for the next start to judge.
 */
export async function runningClusterUrl(dataDir: string): Promise<string | undefined> {
  const directory = await realpath(join(dataDir, 'postgres')).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (directory === undefined) return undefined;
  const [password, file] = [await readPassword(dataDir), await readPidFile(directory)];
  if (password === undefined || file?.port === undefined) return undefined;
  let client: Client | undefined;
  try {
    client = await connect(file.port, password);
    // A file that a crash left behind names a port that may be another's by now, perhaps of a copy of this cluster.
    return (await serves(client, { directory })) ? urlOf(file.port, password) : undefined;
  } catch {
    return undefined;
  } finally {
    await client?.end().catch(() => undefined);
  }
}
