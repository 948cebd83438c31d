import { compareBuild, parse } from 'semver';
import { versionsOf } from '../files/release.rules.js';
import type { StoredAsset } from '../files/store/file-store.js';

/** What decides whether a link leads anywhere, apart from its license. */
export interface LinkState {
  readonly revoked: boolean;
  readonly expiresAt: Date;
  readonly uses: number;
  readonly maxUses: number;
}

export const LINK_REFUSALS = {
  DOWNLOAD_REVOKED: 'This download link has been revoked',
  DOWNLOAD_EXPIRED: 'This download link has expired; ask for a new one',
  DOWNLOAD_EXHAUSTED: 'This download link has been used as often as it allows; ask for a new one',
} as const;

export type LinkRefusal = keyof typeof LINK_REFUSALS;

/** Why nothing can be had by a link any more, the lasting reason first; undefined while there is a use left. */
export function linkRefusal(
  { revoked, expiresAt, uses, maxUses }: LinkState,
  now: Date,
): LinkRefusal | undefined {
  if (revoked) return 'DOWNLOAD_REVOKED';
  if (expiresAt <= now) return 'DOWNLOAD_EXPIRED';
  if (uses >= maxUses) return 'DOWNLOAD_EXHAUSTED';
  return undefined;
}

/** What a file asks of the releases of its repository. */
export interface VersionChoice {
  /** A name or pattern; of several assets that match, the first by name is meant. */
  readonly asset: string;
  /** Whether prereleases may be had, by being the newest or by name. */
  readonly prerelease: boolean;
  /** As the release is tagged, or the same version written otherwise (`1.2.0` for `v1.2.0`); else the newest. */
  readonly version?: string | null | undefined;
}

/** The asset that is meant; undefined when there is none. A tag that is no semantic version is had by name only. */
export function chooseAsset(
  assets: readonly StoredAsset[],
  { asset, prerelease, version }: VersionChoice,
): StoredAsset | undefined {
  const candidates = versionsOf(assets, asset).flatMap((release) => {
    const match = release.assets.find(({ matches }) => matches);
    const isPrerelease = release.prerelease || (parse(release.version)?.prerelease.length ?? 0) > 0;
    return match && (prerelease || !isPrerelease) ? [match] : [];
  });
  if (version == null) return candidates.find((candidate) => parse(candidate.version) !== null);
  return (
    candidates.find((candidate) => candidate.version === version) ??
    candidates.find((candidate) => isSameVersion(candidate.version, version))
  );
}

/** Build metadata tells releases apart, though it has no place in their order. */
function isSameVersion(a: string, b: string): boolean {
  return parse(a) !== null && parse(b) !== null && compareBuild(a, b) === 0;
}
