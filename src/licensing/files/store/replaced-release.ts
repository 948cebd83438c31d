import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { randomToken } from '../../../platform/random.js';
import { isNotThere } from './local-release.js';

/*
 * No rename of a directory takes the place of another, so a release that is replaced steps aside first:
 *   1.0.0                  ──rename──► .replaced-1.0.0~<token>
 *   .publishing-<token>    ──rename──► 1.0.0
 *   .replaced-1.0.0~<token> ──rename──► .discarded-<token>, and removed
 * Whoever finds no 1.0.0 reads the one that stepped aside: in between, and for as long as it takes after a crash there.
 */

const PREFIX = '.replaced-';
/** No version has one in its name. */
const SEPARATOR = '~';

/** A new name for a release to step aside under, hidden, so that it is no version. */
export function nameAside(version: string): string {
  return `${PREFIX}${version}${SEPARATOR}${randomToken()}`;
}

/** The version that has stepped aside under this name; undefined for any other name. */
export function versionAside(name: string): string | undefined {
  const end = name.indexOf(SEPARATOR);
  return name.startsWith(PREFIX) && end > 0 ? name.slice(PREFIX.length, end) : undefined;
}

/** The releases of this version that have stepped aside, the last one first: paths in the repository's directory. */
export async function releasesAside(directory: string, version: string): Promise<string[]> {
  const found: { readonly path: string; readonly since: number }[] = [];
  for (const name of await readdir(directory).catch(noneThere)) {
    if (versionAside(name) !== version) continue;
    const path = join(directory, name);
    const stats = await lstat(path).catch(() => undefined);
    // A rename changes it.
    if (stats?.isDirectory()) found.push({ path, since: stats.ctimeMs });
  }
  return found.sort((a, b) => b.since - a.since).map(({ path }) => path);
}

/** The repository itself has gone. */
function noneThere(error: unknown): string[] {
  if (isNotThere(error)) return [];
  throw error;
}
