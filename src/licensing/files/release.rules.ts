import { compare, parse } from 'semver';
import { assetMatcher } from './asset-pattern.rules.js';
import type { StoredAsset } from './store/file-store.js';

/** One release, as a provider has it. */
export interface Release {
  readonly version: string;
  readonly prerelease: boolean;
  /** By name. */
  readonly assets: readonly StoredAsset[];
}

/** The assets of a repository by release: the newest first by semver, then what is no version, by its name. */
export function releasesOf(assets: readonly StoredAsset[]): Release[] {
  const byVersion = Map.groupBy(assets, ({ version }) => version);
  return [...byVersion]
    .map(([version, all]) => ({
      version,
      prerelease: all.some(({ prerelease }) => prerelease),
      assets: all.toSorted((a, b) => byText(a.name, b.name)),
    }))
    .sort((a, b) => newestFirst(a.version, b.version));
}

/** A release with what the `asset` of a file means in it. */
export interface Version extends Omit<Release, 'assets'> {
  readonly assets: readonly (StoredAsset & { readonly matches: boolean })[];
}

/** The releases of a repository, the newest first; `asset` is a file's, and null means nothing. */
export function versionsOf(assets: readonly StoredAsset[], asset: string | null): Version[] {
  const isMeant = asset === null ? () => false : assetMatcher(asset);
  return releasesOf(assets).map((release) => ({
    ...release,
    assets: release.assets.map((each) => ({ ...each, matches: isMeant(each.name) })),
  }));
}

function newestFirst(a: string, b: string): number {
  const [versionA, versionB] = [parse(a), parse(b)];
  if (versionA && versionB) return compare(versionB, versionA) || byText(a, b);
  if (versionA) return -1;
  if (versionB) return 1;
  return byText(b, a);
}

/** By code units: the same on every machine, whatever its language. */
function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
