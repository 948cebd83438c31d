import { judgeRules } from '../../rules/rule.rules.js';
import { normaliseAddress } from '../../whitelists/whitelist.rules.js';
import { standingRefusal } from '../license-standing.rules.js';
import type { EnforcedWhitelist, LicenseFacts, ValidationRequest } from './facts.js';

/** The codes in the documented order, each with the status it shows and its one fixed sentence. */
export const VERDICT_CODES = {
  NOT_FOUND: { status: 'invalid', message: 'There is no license with this key.' },
  BANNED: { status: 'banned', message: 'The user of this license is banned.' },
  REVOKED: { status: 'revoked', message: 'This license has been revoked.' },
  SUSPENDED: { status: 'suspended', message: 'This license is suspended.' },
  EXPIRED: { status: 'expired', message: 'This license has expired.' },
  PRODUCT_MISMATCH: { status: 'active', message: 'This license is for another product.' },
  RULE_DENIED: { status: 'active', message: 'This license may not be used here.' },
  VERSION_REQUIRED: { status: 'active', message: 'The request must tell the version of the product.' },
  VERSION_DENIED: { status: 'active', message: 'This license may not be used with this version.' },
  WHITELIST_REQUIRED: { status: 'active', message: 'The request lacks a value that this license requires.' },
  WHITELIST_MISMATCH: { status: 'active', message: 'The value presented is not one of this license.' },
  WHITELIST_LIMIT_REACHED: {
    status: 'active',
    message: 'This license is in use in as many places as it allows.',
  },
  SEAT_LIMIT_REACHED: { status: 'active', message: 'All seats of this license are in use.' },
  VALID: { status: 'active', message: 'The license is valid.' },
} as const satisfies Record<string, { status: string; message: string }>;

export type VerdictCode = keyof typeof VERDICT_CODES;

/** A value that an enforced whitelist must hold, or be given room for. */
export interface PresentedValue {
  readonly whitelist: EnforcedWhitelist;
  readonly value: string;
}

export interface Judgement {
  readonly code: VerdictCode;
  /** A rule's own words, in place of the code's. */
  readonly message: string | null;
  readonly warnings: readonly string[];
  /** What is to be recorded if the verdict is `VALID`. */
  readonly presented: readonly PresentedValue[];
}

/**
 * The first check that fails, in the documented order, or `VALID`. Pure: no clock, no I/O. What only the database can
 * decide comes after it, in one step that writes all or nothing: room on a whitelist, and a free seat.
 */
export function judge(facts: LicenseFacts | undefined, request: ValidationRequest, now: Date): Judgement {
  if (!facts) return no('NOT_FOUND');
  const refusal = standingRefusal(facts, now);
  if (refusal !== undefined) return no(refusal);
  if (request.product != null && request.product !== facts.product) return no('PRODUCT_MISMATCH');
  const rules = judgeRules(facts.rules, request, now);
  if (rules.code !== undefined) return no(rules.code, rules.message);
  const presented = facts.whitelists.map((whitelist) => ({
    whitelist,
    value: presentedValue(whitelist, request),
  }));
  if (!presented.every(hasValue)) return no('WHITELIST_REQUIRED');
  return { code: 'VALID', message: null, warnings: rules.warnings, presented };
}

function no(code: VerdictCode, message: string | null = null): Judgement {
  return { code, message, warnings: [], presented: [] };
}

function hasValue(item: { whitelist: EnforcedWhitelist; value: string | undefined }): item is PresentedValue {
  return item.value !== undefined;
}

const VALUE_LENGTH_MAX = 255;

const CONTROL = /[\u0000-\u001f\u007f]/;

/** What the request says for a whitelist. A value that could never be stored counts as none. */
function presentedValue(whitelist: EnforcedWhitelist, request: ValidationRequest): string | undefined {
  const value = readValue(whitelist, request)?.trim();
  if (
    value === undefined ||
    value === '' ||
    value.length > VALUE_LENGTH_MAX ||
    CONTROL.test(value) ||
    !value.isWellFormed()
  )
    return undefined;
  return value;
}

function readValue(
  { type, header, field }: EnforcedWhitelist,
  request: ValidationRequest,
): string | undefined {
  switch (type) {
    case 'ip':
      return normaliseAddress(request.ip);
    case 'header':
      return header === null ? undefined : request.header(header);
    case 'field':
      return field === null ? undefined : readField(field, request);
  }
}

function readField(field: string, request: ValidationRequest): string | undefined {
  const fields = request.fields ?? {};
  const own = Object.hasOwn(fields, field) ? fields[field] : undefined;
  const known = { identifier: request.identifier, version: request.version };
  const value = own ?? (field === 'identifier' || field === 'version' ? known[field] : undefined);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
