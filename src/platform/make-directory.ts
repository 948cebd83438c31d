import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory and what is missing above it; fine when it is there. Rejects with the system's own reason. Node's
 * `recursive` never ends where the system says ENOENT below a directory that is there, as it does in /proc.
 */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && dirname(path) !== path && !(await isDirectory(dirname(path)))) {
      await makeDirectory(dirname(path));
      // Once more, and whatever is in the way now stays.
      await mkdir(path).catch((again: unknown) => butThere(path, again));
      return;
    }
    await butThere(path, error);
  }
}

/** Somebody else may have made it at the same time; and some systems refuse to make what is there in words of their own. */
async function butThere(path: string, error: unknown): Promise<void> {
  if (!(await isDirectory(path))) throw error;
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
