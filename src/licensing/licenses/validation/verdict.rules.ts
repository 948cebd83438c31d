import type { LicenseFacts, ValidationRequest } from './facts.js';

/** The codes in the documented order, each with the status it shows and its one fixed sentence. */
export const VERDICT_CODES = {
  NOT_FOUND: { status: 'invalid', message: 'There is no license with this key.' },
  REVOKED: { status: 'revoked', message: 'This license has been revoked.' },
  SUSPENDED: { status: 'suspended', message: 'This license is suspended.' },
  EXPIRED: { status: 'expired', message: 'This license has expired.' },
  PRODUCT_MISMATCH: { status: 'active', message: 'This license is for another product.' },
  SEAT_LIMIT_REACHED: { status: 'active', message: 'All seats of this license are in use.' },
  VALID: { status: 'active', message: 'The license is valid.' },
} as const satisfies Record<string, { status: string; message: string }>;

export type VerdictCode = keyof typeof VERDICT_CODES;

/**
 * The first check that fails, in the documented order, or `VALID`. Pure: no clock, no I/O. What only the database can
 * decide, a free seat, comes after it (`SEAT_LIMIT_REACHED`), so that a failed check binds nothing.
 */
export function judge(facts: LicenseFacts | undefined, request: ValidationRequest, now: Date): VerdictCode {
  if (!facts) return 'NOT_FOUND';
  if (facts.status === 'revoked') return 'REVOKED';
  if (facts.status === 'suspended') return 'SUSPENDED';
  if (facts.expiresAt !== null && facts.expiresAt <= now) return 'EXPIRED';
  if (request.product != null && request.product !== facts.product) return 'PRODUCT_MISMATCH';
  return 'VALID';
}
