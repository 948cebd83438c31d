import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** What a published release knows of itself, kept beside its assets in {@link RELEASE_FILE}. */
export type LocalRelease = z.infer<typeof SCHEMA>;

const SCHEMA = z.object({
  prerelease: z.boolean(),
  /** Hex, by the asset's name. */
  sha256: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)),
});

/** Hidden, so that it is no asset. */
export const RELEASE_FILE = '.release.json';
const RELEASE_FILE_BYTES_MAX = 4 * 1024 * 1024;

/** Undefined for a release that was laid down by other means than publishing. */
export async function readLocalRelease(directory: string): Promise<LocalRelease | undefined> {
  const file = await openRegular(join(directory, RELEASE_FILE));
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    if (size > RELEASE_FILE_BYTES_MAX) return undefined;
    return SCHEMA.safeParse(jsonOf(await file.readFile('utf8'))).data;
  } finally {
    await file.close();
  }
}

/** Hex; null when publishing didn't say. A name such as `constructor` must not find what every object has. */
export function digestIn(release: LocalRelease | undefined, name: string): string | null {
  return release && Object.hasOwn(release.sha256, name) ? (release.sha256[name] ?? null) : null;
}

/** What a path that leads to no file of ours ends in: nothing there, a link, a socket, a directory on the way. */
const NOT_A_FILE = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'EMLINK',
  'ENXIO',
  'EISDIR',
  'ENODEV',
  'ENAMETOOLONG',
]);

export function isNotThere(error: unknown): boolean {
  return NOT_A_FILE.has((error as NodeJS.ErrnoException).code ?? '');
}

/**
 * Opens a regular file for reading; undefined when there is none. Its last part may not be a link, and a pipe or a
 * device is neither waited for nor read.
 */
export async function openRegular(path: string): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isNotThere(error)) return undefined;
    throw error;
  }
  try {
    if ((await file.stat()).isFile()) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
