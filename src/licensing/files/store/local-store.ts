import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { prerelease as prereleaseOf } from 'semver';
import { NotFound } from '../../../platform/errors.js';
import { FileStream } from '../../../platform/file-stream.js';
import { isAssetName, isVersionName, parseRepository } from '../file-name.rules.js';
import type { ByteRange, FileStore, StoredAsset } from './file-store.js';
import { digestIn, isNotThere, openRegular, readLocalRelease } from './local-release.js';
import { storeAway } from './store-away.js';

/**
 * A directory of this machine: `<root>/<owner>/<name>/<version>/<asset>`. Nothing outside of the root is ever read:
 * names are checked by pattern, no part of a path may be a link, and what was opened is compared with what lies there.
 */
export class LocalStore implements FileStore {
  constructor(private readonly root: string) {}

  repositories(): Promise<readonly string[]> {
    return reading(async () => {
      const found: string[] = [];
      for (const owner of await this.directories()) {
        for (const name of await this.directories(owner)) found.push(`${owner}/${name}`);
      }
      return found.filter((repository) => parseRepository(repository) !== undefined).sort();
    });
  }

  assets(repository: string): Promise<readonly StoredAsset[]> {
    return reading(async () => {
      const parts = parseRepository(repository);
      if (!parts) return [];
      const versions = (await this.directories(...parts)).filter(isVersionName);
      const assets: StoredAsset[] = [];
      // One after the other: a repository of thousands of versions must not open thousands of files at once.
      for (const version of versions) assets.push(...(await this.assetsOf(parts, version)));
      return assets;
    });
  }

  open(repository: string, asset: StoredAsset, range?: ByteRange): Promise<Readable> {
    return reading(async () => {
      const { version, name, bytes } = asset;
      const parts = parseRepository(repository);
      const isSafe = parts && isVersionName(version) && isAssetName(name);
      const directory = isSafe ? await this.directory(...parts, version) : undefined;
      const file = directory === undefined ? undefined : await openIn(directory, name);
      if (!directory || !file) throw new NotFound('file', name);
      try {
        const isSame = (await file.stat()).size === bytes && (await this.isAsListed(directory, asset));
        if (!isSame) throw new NotFound('file', name);
        return new FileStream(file, range ?? { start: 0, end: bytes - 1 });
      } catch (error) {
        await file.close();
        throw error;
      }
    });
  }

  private async assetsOf(parts: readonly string[], version: string): Promise<StoredAsset[]> {
    const directory = await this.directory(...parts, version);
    if (directory === undefined) return [];
    const release = await readLocalRelease(directory);
    const prerelease = release?.prerelease ?? prereleaseOf(version) !== null;
    const names = (await entriesOf(directory)).filter((entry) => entry.isFile() && isAssetName(entry.name));
    const assets: StoredAsset[] = [];
    for (const { name } of names) {
      const bytes = await sizeOf(join(directory, name));
      if (bytes === undefined) continue;
      const sha256 = digestIn(release, name);
      assets.push({ version, prerelease, name, bytes, sha256, handle: `${version}/${name}` });
    }
    return assets;
  }

  /** The release may have been replaced since it was listed, by a file of the same length. */
  private async isAsListed(directory: string, { name, sha256 }: StoredAsset): Promise<boolean> {
    return digestIn(await readLocalRelease(directory), name) === sha256;
  }

  /** The names of the directories in a directory of ours; links to directories are none. */
  private async directories(...path: readonly string[]): Promise<string[]> {
    const directory = await this.directory(...path);
    if (directory === undefined) return [];
    return (await entriesOf(directory)).filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }

  /** The real path of a directory below the root; undefined when there is none, or when a link is on the way. */
  private async directory(...path: readonly string[]): Promise<string | undefined> {
    try {
      const root = await realpath(this.root);
      if (!(await stat(root)).isDirectory()) throw storeAway(new Error(`${root} is no directory`));
      const expected = join(root, ...path);
      return (await realpath(expected)) === expected ? expected : undefined;
    } catch (error) {
      if (isNotThere(error)) return undefined;
      throw error;
    }
  }
}

/**
 * Opens a file of a directory given by its real path. Between looking at a path and opening it, a part of it can
 * become a link; so the path is looked at again afterwards, and must lead to what was opened.
 */
async function openIn(directory: string, name: string): Promise<FileHandle | undefined> {
  const path = join(directory, name);
  const file = await openRegular(path);
  if (!file) return undefined;
  let isIt = false;
  try {
    isIt = await leadsTo(path, file);
  } finally {
    if (!isIt) await file.close();
  }
  return isIt ? file : undefined;
}

async function leadsTo(path: string, file: FileHandle): Promise<boolean> {
  try {
    const [opened, found, real] = [await file.stat(), await lstat(path), await realpath(path)];
    return real === path && opened.ino === found.ino && opened.dev === found.dev;
  } catch (error) {
    if (isNotThere(error)) return false;
    throw error;
  }
}

async function entriesOf(directory: string) {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (isNotThere(error)) return [];
    throw error;
  }
}

/** Undefined when it has gone meanwhile. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).size;
  } catch (error) {
    if (isNotThere(error)) return undefined;
    throw error;
  }
}

/** A directory that can't be read is a provider that is away. */
async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // What the system says has a call's name; anything else is a fault of ours, and is not to be waited out.
    const isSystem = (error as NodeJS.ErrnoException).syscall !== undefined;
    throw isSystem ? storeAway(error) : error;
  }
}
