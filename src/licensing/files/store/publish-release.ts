import { createHash } from 'node:crypto';
import { lstat, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { valid } from 'semver';
import { makeDirectory } from '../../../platform/make-directory.js';
import { randomToken } from '../../../platform/random.js';
import {
  ASSET_ALLOWED,
  REPOSITORY_ALLOWED,
  isAssetName,
  isVersionName,
  parseRepository,
} from '../file-name.rules.js';
import { RELEASE_FILE } from './local-release.js';
import type { LocalRelease } from './local-release.js';
import { nameAside, releasesAside } from './replaced-release.js';

export interface Publication {
  /** The root of the provider `local`; made if it isn't there. */
  readonly root: string;
  /** A file, or a directory whose files are the assets. */
  readonly path: string;
  /** `owner/name` */
  readonly repository: string;
  /** Semver, with or without a `v`. */
  readonly version: string;
  readonly prerelease: boolean;
  /** Replaces a release that is there, as a whole. */
  readonly force: boolean;
}

export interface PublishedAsset {
  readonly name: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** Why a release can't be laid down, in words for the operator. Nothing has changed then. */
export class PublishError extends Error {}

/**
 * Lays a release down where the provider `local` reads. It is copied, hashed and flushed to the disk under a hidden
 * name, and appears by one rename, so that nobody ever sees half of it, also after a crash. With `force`, the old one
 * steps aside just before, and is what readers find until the new one is there; who has it open reads on.
 */
export async function publishRelease(publication: Publication): Promise<PublishedAsset[]> {
  const { path, repository, version, force } = publication;
  const parts = checkNames(publication);
  const sources = await sourcesOf(resolve(path));
  const directory = await makeRepository(publication.root, parts);
  const target = join(directory, version);
  if (!force && (await isPublished(directory, version))) throw alreadyThere(repository, version);
  const staging = join(directory, `.publishing-${randomToken()}`);
  await mkdir(staging);
  try {
    const assets = await stage(sources, staging, publication.prerelease);
    if (force) await replace(staging, target, version);
    else await appear(staging, target, publication);
    // The name of the release, and those of directories that were made for it.
    for (const changed of [directory, join(directory, '..'), join(directory, '../..')]) {
      await flushDirectory(changed);
    }
    return assets;
  } finally {
    // Gone by the rename, unless something went wrong.
    await rm(staging, { recursive: true, force: true });
  }
}

function checkNames({ repository, version }: Publication): readonly string[] {
  const parts = parseRepository(repository);
  if (!parts)
    throw new PublishError(`--repo must be ${REPOSITORY_ALLOWED}; got ${JSON.stringify(repository)}`);
  if (!isVersionName(version) || valid(version) === null) {
    throw new PublishError(
      `--release must be a semantic version such as 1.2.0 or v2.0.0-rc.1; got ${JSON.stringify(version)}`,
    );
  }
  return parts;
}

interface Source {
  readonly name: string;
  readonly path: string;
}

/** A file, or the files of a directory. Hidden ones are left out; a directory within is refused, as it would be lost. */
async function sourcesOf(path: string): Promise<Source[]> {
  const found = await stat(path);
  if (!found.isDirectory()) return [await sourceOf(path)];
  const names = (await readdir(path)).filter((name) => !name.startsWith('.')).sort();
  if (names.length === 0) throw new PublishError(`There is no file in ${path}`);
  return Promise.all(names.map((name) => sourceOf(join(path, name))));
}

async function sourceOf(path: string): Promise<Source> {
  const name = basename(path);
  if (!(await stat(path)).isFile()) {
    throw new PublishError(`${path} is no file; a release holds files, and no directories`);
  }
  if (!isAssetName(name)) throw new PublishError(`${JSON.stringify(name)} is not ${ASSET_ALLOWED}`);
  return { name, path };
}

/** Makes `<root>/<owner>/<name>`. Throws where a link would lead elsewhere: nothing would be read from there. */
async function makeRepository(root: string, parts: readonly string[]): Promise<string> {
  await makeDirectory(root);
  const directory = join(await realpath(root), ...parts);
  await makeDirectory(directory);
  if ((await realpath(directory)) === directory) return directory;
  throw new PublishError(`${directory} leads elsewhere by a link; releases must lie below the root itself`);
}

async function stage(
  sources: readonly Source[],
  staging: string,
  prerelease: boolean,
): Promise<PublishedAsset[]> {
  const assets: PublishedAsset[] = [];
  for (const source of sources) assets.push(await copy(source, staging));
  const sha256 = Object.fromEntries(assets.map((asset) => [asset.name, asset.sha256]));
  const release: LocalRelease = { prerelease, sha256 };
  const file = await open(join(staging, RELEASE_FILE), 'wx', 0o644);
  try {
    await file.writeFile(`${JSON.stringify(release, undefined, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await flushDirectory(staging);
  return assets;
}

const PIECE_BYTES = 1024 * 1024;

async function copy({ name, path }: Source, staging: string): Promise<PublishedAsset> {
  const hash = createHash('sha256');
  let bytes = 0;
  const from = await open(path);
  try {
    const to = await open(join(staging, name), 'wx', 0o644);
    try {
      const pieces = from.createReadStream({ highWaterMark: PIECE_BYTES, autoClose: false });
      for await (const piece of pieces as AsyncIterable<Buffer>) {
        hash.update(piece);
        await to.writeFile(piece);
        bytes += piece.length;
      }
      await to.sync();
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
  return { name, bytes, sha256: hash.digest('hex') };
}

/** A directory becomes another one's place only while that is empty, so of two who publish at once, one fails. */
async function appear(staging: string, target: string, { repository, version }: Publication): Promise<void> {
  try {
    await rename(staging, target);
  } catch (error) {
    if (isTaken(error)) throw alreadyThere(repository, version);
    throw error;
  }
}

/**
 * The old one steps aside first, and comes back if the new one can't take its place. Somebody else's may come in
 * between; it has to go as well. What had stepped aside before us is older than ours, whether whoever replaced it was
 * killed or is still at it: it goes once ours is there.
 */
async function replace(staging: string, target: string, version: string): Promise<void> {
  const replaced = await releasesAside(dirname(target), version);
  for (;;) {
    const aside = join(dirname(target), nameAside(version));
    const hadOne = await stepsAside(target, aside);
    if (hadOne) replaced.push(aside);
    try {
      await rename(staging, target);
      break;
    } catch (error) {
      if (isTaken(error)) continue;
      // Unless somebody else's is there by now, or it was removed for that one.
      if (hadOne) await rename(aside, target).catch(() => undefined);
      throw error;
    }
  }
  for (const path of replaced) await discard(path);
}

/** Away from where readers look in one step: a directory that is being emptied would look like a release without files. */
async function discard(path: string): Promise<void> {
  const discarded = join(dirname(path), `.discarded-${randomToken()}`);
  try {
    await rename(path, discarded);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  await rm(discarded, { recursive: true, force: true });
}

async function stepsAside(target: string, aside: string): Promise<boolean> {
  try {
    await rename(target, aside);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isTaken(error: unknown): boolean {
  return ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** A rename is on the disk once the directory that holds the name is. */
async function flushDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Also while it is being replaced, or was when somebody was killed. */
async function isPublished(directory: string, version: string): Promise<boolean> {
  try {
    await lstat(join(directory, version));
    return true;
  } catch (error) {
    if (isMissing(error)) return (await releasesAside(directory, version)).length > 0;
    throw error;
  }
}

function alreadyThere(repository: string, version: string): PublishError {
  return new PublishError(`${repository} ${version} is published already; --force replaces it`);
}
