import type { CompiledRule } from '../../rules/rule.rules.js';
import type { UserStatus } from '../../users/user.entity.js';
import type { WhitelistType } from '../../whitelists/whitelist.entity.js';
import type { LicenseStatus } from '../license.entity.js';

/** A whitelist that is enforced for the license: its definition is global or attached to the license's product. */
export interface EnforcedWhitelist {
  readonly id: number;
  readonly name: string;
  readonly type: WhitelistType;
  readonly header: string | null;
  readonly field: string | null;
  /** The license's own limit, else the definition's: -1 any number, 0 only an administrator's values, else 1–1000. */
  readonly limit: number;
}

/**
 * All that {@link judge} needs to know of a license and that its verdict shows: one immutable value, apart from how it
 * was had (from memory or by a query) and from what is recorded afterwards.
 */
export interface LicenseFacts {
  readonly licenseId: number;
  readonly key: string;
  readonly status: LicenseStatus;
  /** The status of the license's user; null without one. */
  readonly userStatus: UserStatus | null;
  /** Null: never. */
  readonly expiresAt: Date | null;
  /** -1: unlimited. */
  readonly seats: number;
  readonly product: string | null;
  readonly customer: string | null;
  readonly addons: readonly string[];
  /** Global, overridden by the product's, overridden by the license's own. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly userVariables: Readonly<Record<string, unknown>>;
  /** The product's own session life in seconds; null: the server's default. */
  readonly sessionTtl: number | null;
  readonly rules: readonly CompiledRule[];
  /** By name. */
  readonly whitelists: readonly EnforcedWhitelist[];
}

/**
 * The versions of what facts were made from; triggers move them in the transaction of any change (the migration
 * `hot_path`). Facts hold as long as all three do.
 */
export interface FactsVersion {
  readonly license: number;
  /** 0: the license has no product. */
  readonly product: number;
  /** Of what concerns all licenses: global variables, rules and whitelists, names of addons. */
  readonly global: number;
}

/** What a client presents to be judged. */
export interface ValidationRequest {
  readonly key: string;
  /** The product the client says it is. */
  readonly product?: string | null | undefined;
  readonly version?: string | null | undefined;
  /** Names the seat; the first enforced whitelist's value when absent, else the client's address. */
  readonly identifier?: string | null | undefined;
  /** Members of the request's body that `field` whitelists read. */
  readonly fields?: Readonly<Record<string, unknown>> | null | undefined;
  readonly ip: string;
  readonly agent: string;
  header(name: string): string | undefined;
}
