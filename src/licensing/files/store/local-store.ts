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
import { releasesAside, versionAside } from './replaced-release.js';
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
      const names = await this.directories(...parts);
      const versions = new Set(names.map((name) => versionAside(name) ?? name).filter(isVersionName));
      const assets: StoredAsset[] = [];
      // One after the other: a repository of thousands of versions must not open thousands of files at once.
      for (const version of versions) {
        assets.push(...((await this.inRelease(parts, version, (place) => assetsIn(place, version))) ?? []));
      }
      return assets;
    });
  }

  open(repository: string, asset: StoredAsset, range?: ByteRange): Promise<Readable> {
    return reading(async () => {
      const { version, name, bytes } = asset;
      const parts = parseRepository(repository);
      const isSafe = parts && isVersionName(version) && isAssetName(name);
      const file = isSafe && (await this.inRelease(parts, version, (place) => openListed(place, asset)));
      if (!file) throw new NotFound('file', name);
      return new FileStream(file, range ?? { start: 0, end: bytes - 1 });
    });
  }

  /**
   * What `work` finds in a release, and undefined when it finds nothing there: once the release has been the same one
   * from beginning to end, or `work` has found something. It is looked for again when it was replaced meanwhile.
   */
  private async inRelease<T>(
    parts: readonly string[],
    version: string,
    work: (place: Place) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      const place = await this.placeOf(parts, version);
      const found = place && (await work(place));
      if (found !== undefined) return found;
      // Without a place, the new one may have come and the old one gone between two looks.
      if (place && (await isStillThere(place))) return undefined;
    }
    return undefined;
  }

  /** Where the release is now: under its own name, or aside, if it is just being replaced. */
  private async placeOf(parts: readonly string[], version: string): Promise<Place | undefined> {
    const own = await this.directory(...parts, version);
    if (own !== undefined) return placeAt(own);
    const repository = await this.directory(...parts);
    if (repository === undefined) return undefined;
    const [aside] = await releasesAside(repository, version);
    return aside === undefined ? undefined : placeAt(aside);
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

/** A release's directory, by its real path, and which one that was: the number of one that is gone is soon used again. */
interface Place {
  readonly directory: string;
  readonly inode: number;
  readonly madeAtMs: number;
}

/** A release that is replaced more often while somebody looks is a mistake. */
const LOOKS_MAX = 5;

async function placeAt(directory: string): Promise<Place | undefined> {
  try {
    const { ino, birthtimeMs } = await lstat(directory);
    return { directory, inode: ino, madeAtMs: birthtimeMs };
  } catch (error) {
    if (isNotThere(error)) return undefined;
    throw error;
  }
}

async function isStillThere({ directory, inode, madeAtMs }: Place): Promise<boolean> {
  const now = await placeAt(directory);
  return now?.inode === inode && now.madeAtMs === madeAtMs;
}

/** Undefined when the release was replaced meanwhile: one's files must not be listed with the other's digests. */
async function assetsIn(place: Place, version: string): Promise<StoredAsset[] | undefined> {
  const { directory } = place;
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
  return (await isStillThere(place)) ? assets : undefined;
}

/** Undefined when it isn't there as it was listed: the release may have been replaced, by a file of the same length. */
async function openListed({ directory }: Place, asset: StoredAsset): Promise<FileHandle | undefined> {
  const { name, bytes, sha256 } = asset;
  const file = await openIn(directory, name);
  let isSame = false;
  try {
    isSame =
      (await file?.stat())?.size === bytes && digestIn(await readLocalRelease(directory), name) === sha256;
  } finally {
    if (!isSame) await file?.close();
  }
  return isSame ? file : undefined;
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
