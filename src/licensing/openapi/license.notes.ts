import type { RouteNotes } from '../../platform/rest/openapi/notes.js';
import { VERDICT_CODES } from '../licenses/validation/verdict.rules.js';
import { JSON_VALUE, LICENSE_WHITELISTS } from './members.js';

/** The codes with which a license that is not valid is refused, where it is the credential. */
const NOT_VALID = Object.keys(VERDICT_CODES).filter((code) => code !== 'NOT_FOUND' && code !== 'VALID');
/** What a license can stand at, whatever a request presents. */
const STANDING = ['BANNED', 'REVOKED', 'SUSPENDED', 'EXPIRED'];

const KEY = 'PLOTGUARD-ADA-0001';
const LICENSE_FIELDS = {
  seats: { minimum: -1 },
  whitelists: LICENSE_WHITELISTS,
};

/** Licenses, their verdicts and sessions. */
export const licenseNotes: Readonly<Record<string, RouteNotes>> = {
  'POST /licenses': {
    summary: 'Create a license',
    description: 'Everything is optional: `{}` makes a license with a generated key that never expires.',
    body: {
      key: KEY,
      product: 'Plot Guard',
      customer: 'Lovelace & Co',
      user_id: 'usr_ada',
      seats: 2,
      expires_at: '2030-01-01T00:00:00.000Z',
    },
    fields: LICENSE_FIELDS,
    codes: ['ALREADY_EXISTS'],
  },
  'GET /licenses': { summary: 'List licenses' },
  'PATCH /licenses': {
    summary: 'Change a license',
    body: { key: KEY, seats: 3, note: 'Paid by invoice 4711' },
    fields: LICENSE_FIELDS,
    codes: ['LICENSE_NOT_FOUND', 'ALREADY_EXISTS'],
  },
  'DELETE /licenses': { summary: 'Delete a license', body: { key: KEY }, codes: ['LICENSE_NOT_FOUND'] },
  'GET /users/licenses': {
    summary: "List a user's licenses",
    description: 'By `user_id`, by `provider` with `provider_id`, or by `email`; none or several are 400.',
    parameters: { user_id: 'usr_ada' },
    codes: ['USER_NOT_FOUND'],
  },
  'POST /licenses/whitelists': {
    summary: "Put a value on a license's whitelist",
    body: { license: KEY, whitelist: 'hwid', value: 'machine-0' },
    codes: ['LICENSE_NOT_FOUND', 'WHITELIST_NOT_FOUND', '409 WHITELIST_LIMIT_REACHED'],
  },
  'GET /licenses/whitelists': {
    summary: "List a license's whitelists",
    parameters: { license: KEY },
    codes: ['LICENSE_NOT_FOUND'],
  },
  'PATCH /licenses/whitelists': {
    summary: 'Give a license a limit of its own',
    body: { license: KEY, whitelist: 'hwid', limit: 5 },
    fields: { limit: { minimum: -1, maximum: 1000 } },
    required: ['limit'],
    codes: ['LICENSE_NOT_FOUND', 'WHITELIST_NOT_FOUND'],
  },
  'DELETE /licenses/whitelists': {
    summary: "Clear a license's whitelist",
    body: { license: KEY, whitelist: 'hwid' },
    codes: ['LICENSE_NOT_FOUND', 'WHITELIST_NOT_FOUND', 'WHITELIST_VALUE_NOT_FOUND'],
  },
  'POST /licenses/variables': {
    summary: "Set a license's variable",
    body: { license: KEY, key: 'max_plots', value: 250 },
    fields: { value: JSON_VALUE },
    required: ['value'],
    codes: ['LICENSE_NOT_FOUND'],
  },
  'GET /licenses/variables': {
    summary: "List a license's variables",
    parameters: { license: KEY },
    codes: ['LICENSE_NOT_FOUND'],
  },
  'DELETE /licenses/variables': {
    summary: "Delete a license's variable",
    body: { license: KEY, key: 'max_plots' },
    codes: ['LICENSE_NOT_FOUND', 'VARIABLE_NOT_FOUND'],
  },
  'POST /licenses/validate': {
    summary: 'Validate a license key',
    description:
      'Answers 200 whatever the verdict; an unknown key is one too. With a `nonce` the answer is signed (`X-Signature`).',
    body: {
      license_key: KEY,
      product: 'Plot Guard',
      version: '1.4.0',
      identifier: 'server-1',
      nonce: '5f2b8c1e',
      hwid: 'machine-1',
    },
    headers: ['X-Signature'],
  },
  'POST /licenses/checkout': {
    summary: 'Take a license offline',
    description: 'Runs the whole validation; the answer holds a JWT that the public keys verify.',
    body: { license_key: KEY, product: 'Plot Guard', version: '1.4.0', hwid: 'machine-1', ttl: 86400 },
    fields: { ttl: { minimum: 3600, maximum: 7776000, default: 2592000 } },
    codes: ['LICENSE_NOT_FOUND', ...NOT_VALID],
  },
  'GET /keys/public': { summary: 'Get the public signing keys (JWKS)' },
  'POST /variables/user': {
    summary: "Create a license's own user variable",
    body: { license_key: KEY, key: 'theme', value: 'dark' },
    fields: { value: JSON_VALUE },
    required: ['value'],
    codes: ['LICENSE_NOT_FOUND', ...STANDING, 'ALREADY_EXISTS', 'LIMIT_REACHED'],
  },
  'GET /variables/user': {
    summary: "List a license's own user variables",
    parameters: { license_key: KEY },
    codes: ['LICENSE_NOT_FOUND', ...STANDING],
  },
  'PATCH /variables/user': {
    summary: "Set a license's own user variable",
    body: { license_key: KEY, key: 'theme', value: 'light' },
    fields: { value: JSON_VALUE },
    codes: ['LICENSE_NOT_FOUND', ...STANDING, 'VARIABLE_NOT_FOUND'],
  },
  'DELETE /variables/user': {
    summary: "Delete a license's own user variable",
    body: { license_key: KEY, key: 'theme' },
    codes: ['LICENSE_NOT_FOUND', ...STANDING, 'VARIABLE_NOT_FOUND'],
  },
  'POST /sessions/heartbeat': {
    summary: 'Keep a session',
    body: { token: 'uF4kq1mZ0pXr7wVt2sYb9c' },
    codes: ['SESSION_NOT_FOUND', 'SESSION_EXPIRED', ...STANDING],
  },
  'GET /sessions': {
    summary: 'List open sessions',
    parameters: { license: KEY },
    codes: ['LICENSE_NOT_FOUND'],
  },
  'POST /sessions/close': {
    summary: 'Close a session',
    body: { token: 'uF4kq1mZ0pXr7wVt2sYb9c' },
    codes: ['SESSION_NOT_FOUND'],
  },
  'DELETE /sessions': {
    summary: 'End sessions',
    description: '`{}` means all of them.',
    body: { license: KEY },
    codes: ['LICENSE_NOT_FOUND'],
  },
};
