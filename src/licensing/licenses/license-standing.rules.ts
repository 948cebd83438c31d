import type { UserStatus } from '../users/user.entity.js';
import type { LicenseStatus } from './license.entity.js';

/** What decides whether a license may be used at all, whoever asks from wherever. */
export interface LicenseStanding {
  readonly licenseId: number;
  readonly status: LicenseStatus;
  /** Null: the license has no user. */
  readonly userStatus: UserStatus | null;
  /** Null: never. */
  readonly expiresAt: Date | null;
}

export type StandingRefusal = 'BANNED' | 'REVOKED' | 'SUSPENDED' | 'EXPIRED';

/**
 * Why the license may not be used, or undefined: the verdict's checks up to expiry, in the documented order. What
 * depends on a single request (product, rules, whitelists, seats) comes after them, in the verdict.
 */
export function standingRefusal(
  { status, userStatus, expiresAt }: Omit<LicenseStanding, 'licenseId'>,
  now: Date,
): StandingRefusal | undefined {
  if (userStatus === 'banned') return 'BANNED';
  if (status === 'revoked') return 'REVOKED';
  if (status === 'suspended') return 'SUSPENDED';
  if (expiresAt !== null && expiresAt <= now) return 'EXPIRED';
  return undefined;
}
