import type { LicenseStatus } from '../license.entity.js';

/**
 * All that {@link judge} needs to know of a license and that its verdict shows: one immutable value, apart from how it
 * was had (a query today, a cache with versions for the hot path) and from what is recorded afterwards.
 */
export interface LicenseFacts {
  readonly licenseId: number;
  readonly key: string;
  readonly status: LicenseStatus;
  /** Null: never. */
  readonly expiresAt: Date | null;
  /** -1: unlimited. */
  readonly seats: number;
  readonly product: string | null;
  readonly customer: string | null;
  readonly addons: readonly string[];
  /** The product's own session life in seconds; null: the server's default. */
  readonly sessionTtl: number | null;
}

/** What a client presents to be judged. */
export interface ValidationRequest {
  readonly key: string;
  /** The product the client says it is. */
  readonly product?: string | null | undefined;
  readonly version?: string | null | undefined;
  /** Names the seat; the client's address when absent. */
  readonly identifier?: string | null | undefined;
}
