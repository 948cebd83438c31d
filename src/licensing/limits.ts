import type { Guard, LimitRule } from '../platform/limits/limit-rule.js';

/** License keys are long enough not to be guessed; who tries all the same costs a look-up each time. */
export const UNKNOWN_KEYS: Guard = {
  name: 'unknown-keys',
  quota: 'unknownKeys',
  what: 'unknown license keys',
  misses: new Set(['NOT_FOUND', 'LICENSE_NOT_FOUND']),
};

/** Validations, and checkouts, which are validations with a longer answer. The subject is the key's normal form. */
export const VALIDATE: LimitRule = {
  policies: [
    { name: 'validate-address', quota: 'validateAddress', windowSeconds: 60, by: 'address' },
    // Ahead of the license's own: nobody uses that up from one address.
    { name: 'validate', quota: 'validatePair', windowSeconds: 60, by: 'both' },
    { name: 'validate-license', quota: 'validateLicense', windowSeconds: 60, by: 'subject' },
  ],
  guard: UNKNOWN_KEYS,
};

/** Heartbeats, and the end of a session. The subject is the token. */
export const HEARTBEAT: LimitRule = {
  policies: [{ name: 'heartbeat', quota: 'heartbeat', windowSeconds: 60, by: 'subject' }],
};

export const ISSUE_DOWNLOAD: LimitRule = {
  policies: [{ name: 'downloads-issue', quota: 'downloadsIssue', windowSeconds: 60, by: 'subject' }],
  guard: UNKNOWN_KEYS,
};

export const DOWNLOAD: LimitRule = {
  policies: [{ name: 'download', quota: 'downloadsFetch', windowSeconds: 60, by: 'address' }],
};

export const USER_VARIABLES: LimitRule = {
  policies: [{ name: 'user-variables', quota: 'userVariables', windowSeconds: 60, by: 'subject' }],
  guard: UNKNOWN_KEYS,
};

/** Without a guard: any seller may aim a marketplace at this server, and would lock it out for this one. */
export const MARKETPLACE: LimitRule = {
  policies: [{ name: 'marketplace', quota: 'marketplace', windowSeconds: 10, by: 'address' }],
};

/** All that has no rule of its own. The subject is the API key, or the address of who has none. */
export const ADMIN: LimitRule = {
  policies: [{ name: 'admin', quota: 'admin', windowSeconds: 60, by: 'subject' }],
};
