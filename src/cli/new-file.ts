import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { CliError } from './cli-error.js';

/** Opens a file of this name that isn't there yet, for its owner alone: license keys are secrets. */
export async function newFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliError(
      2,
      code === 'EEXIST' ? `--out: ${path} exists already; name another file` : `--out: ${message}`,
    );
  }
}
