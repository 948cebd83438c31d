import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomToken } from './random.js';

const FILE = 'secret-key';

/** The secret key kept in a data directory (mode 0600), made at first use. Two processes at once get the same. */
export async function ownSecretKey(dataDir: string): Promise<string> {
  const path = join(dataDir, FILE);
  await mkdir(dataDir, { recursive: true });
  try {
    // Exclusive: whoever comes second reads what the first has written.
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(`${randomToken()}\n`).finally(() => file.close());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return (await readFile(path, 'utf8')).trim();
}
