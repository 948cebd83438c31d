import type { LicenseStatus } from '../licenses/license.entity.js';
import type { VerdictCode } from '../licenses/validation/verdict.rules.js';
import type { UserStatus } from '../users/user.entity.js';

/** What a license's holder shows by its key. */
export interface LicenseHolder {
  readonly licenseId: number;
  readonly status: LicenseStatus;
  /** Null: the license has no user. */
  readonly userStatus: UserStatus | null;
  /** Null: never. */
  readonly expiresAt: Date | null;
}

/**
 * Why the holder may not use what belongs to the license, or undefined. The verdict's checks up to expiry, in its
 * order: what depends on a single request (rules, whitelists, seats) is no matter of the holder.
 */
export function holderRefusal(holder: LicenseHolder, now: Date): VerdictCode | undefined {
  if (holder.userStatus === 'banned') return 'BANNED';
  if (holder.status === 'revoked') return 'REVOKED';
  if (holder.status === 'suspended') return 'SUSPENDED';
  if (holder.expiresAt !== null && holder.expiresAt <= now) return 'EXPIRED';
  return undefined;
}
