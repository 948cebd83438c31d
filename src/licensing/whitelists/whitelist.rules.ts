import { isIPv4, isIPv6 } from 'node:net';
import { InvalidField, show } from '../../platform/errors.js';
import type { WhitelistType } from './whitelist.entity.js';

/** `limit` of a list that takes any number of values. */
export const UNLIMITED = -1;
/** `limit` of a list that takes only what an administrator sets. */
export const CLOSED = 0;
const LIMIT_MAX = 1000;
const VALUE_LENGTH_MAX = 255;

/** A token of RFC 9110, as header names are. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,255}$/;
/** Members of a validation request that say what is validated, and can't also say by whom. */
const TAKEN_FIELDS: ReadonlySet<string> = new Set(['license_key', 'product', 'nonce']);

/** Where a list's value is read. `header` belongs to type `header` and `field` to type `field`; else they are null. */
export interface ValueSource {
  readonly type: WhitelistType;
  readonly header: string | null;
  readonly field: string | null;
}

/** `header:X-HWID`, `field:hwid` or `ip`. */
export function sourceOf({ type, header, field }: ValueSource): string {
  switch (type) {
    case 'header':
      return `header:${header ?? ''}`;
    case 'field':
      return `field:${field ?? ''}`;
    case 'ip':
      return 'ip';
  }
}

/** The source as it is stored. Throws when the type lacks its name, or one is given that the type doesn't read. */
export function checkSource({ type, header, field }: ValueSource): ValueSource {
  // An empty string is how clients whose fields are never null say that there is none.
  const names = { header: header === '' ? null : header, field: field === '' ? null : field };
  for (const name of ['header', 'field'] as const) {
    if (type === name && names[name] === null) throw new InvalidField(name, `is required for type ${type}`);
    if (type !== name && names[name] !== null) {
      throw new InvalidField(
        name,
        `is only for type ${name}, and this is type ${type}; got ${show(names[name])}`,
      );
    }
  }
  if (names.header !== null && !HEADER_NAME.test(names.header)) {
    throw new InvalidField('header', `must be a header name, such as "X-HWID"; got ${show(names.header)}`);
  }
  if (names.field !== null) checkField(names.field);
  return { type, ...names };
}

function checkField(field: string): void {
  if (!isShortText(field)) {
    const allowed = `must have 1–${VALUE_LENGTH_MAX} characters, none of them control characters`;
    throw new InvalidField('field', `${allowed}; got ${show(field)}`);
  }
  if (TAKEN_FIELDS.has(field)) {
    const taken = [...TAKEN_FIELDS].join(', ');
    throw new InvalidField(
      'field',
      `must not be one of ${taken}, which validation reads itself; got ${show(field)}`,
    );
  }
}

export const allowedLimits = `must be ${UNLIMITED} (unlimited), ${CLOSED} (only an administrator's values) or 1–${LIMIT_MAX}`;

export function isLimit(limit: number): boolean {
  return Number.isInteger(limit) && limit >= UNLIMITED && limit <= LIMIT_MAX;
}

/** Throws unless {@link isLimit}. */
export function checkLimit(limit: number): number {
  if (isLimit(limit)) return limit;
  throw new InvalidField('limit', `${allowedLimits}; got ${limit}`);
}

/** How many values an administrator may put on a list: a closed one is theirs to fill. */
export function valuesMax(limit: number): number {
  if (limit === UNLIMITED) return Infinity;
  return limit === CLOSED ? LIMIT_MAX : limit;
}

/** A value as it is stored and compared, or undefined when a list of this type can't hold it. */
export function normaliseValue(type: WhitelistType, text: string): string | undefined {
  if (type === 'ip') return normaliseCidr(text);
  // A header arrives without the spaces around its value, so that with them it would never match.
  const value = type === 'header' ? text.trim() : text;
  return isShortText(value) ? value : undefined;
}

/** What {@link normaliseValue} takes, in words. */
export function allowedValues(type: WhitelistType): string {
  if (type === 'ip') return 'must be an IP address or a range such as "10.0.0.0/8"';
  return `must have 1–${VALUE_LENGTH_MAX} characters, none of them control characters`;
}

function isShortText(text: string): boolean {
  if (text.length === 0 || text.length > VALUE_LENGTH_MAX) return false;
  return !/\p{Cc}/u.test(text) && text.isWellFormed();
}

/**
 * An address in the one form in which it is stored and compared: IPv4 in dots, IPv6 as in RFC 5952, an IPv4 address
 * that came mapped into IPv6 as IPv4, without a zone. Undefined when the text is no address.
 */
export function normaliseAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const address = parseAddress(text);
  return address && formatAddress(address);
}

/**
 * A range, or an address, in one form: the bits beyond the prefix are cleared, and a range of one address is that
 * address. Undefined when the text is neither.
 */
export function normaliseCidr(text: string): string | undefined {
  const [base = '', prefix, ...rest] = text.split('/');
  if (rest.length > 0) return undefined;
  if (prefix === undefined) return normaliseAddress(text);
  const address = parseAddress(base);
  if (!address || !/^(0|[1-9]\d{0,2})$/.test(prefix)) return undefined;
  const length = Number(prefix) - address.prefixOffset;
  // Less than the mapping's own prefix takes in more than IPv4.
  if (length < 0) return normaliseWideRange(base, Number(prefix));
  if (length > address.bits) return undefined;
  return formatRange(address, length);
}

interface Address {
  readonly bits: 32 | 128;
  readonly number: bigint;
  /** By how much a written prefix is longer than the address's own: 96 for IPv4 that came mapped into IPv6. */
  readonly prefixOffset: 0 | 96;
}

const MAPPED = 0xffffn << 32n;

function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { bits: 32, number: parseIPv4(text), prefixOffset: 0 };
  const number = parseIPv6(text);
  if (number === undefined) return undefined;
  if (number >> 32n === MAPPED >> 32n) return { bits: 32, number: number - MAPPED, prefixOffset: 96 };
  return { bits: 128, number, prefixOffset: 0 };
}

function parseIPv4(text: string): bigint {
  return text.split('.').reduce((number, part) => (number << 8n) | BigInt(part), 0n);
}

function parseIPv6(text: string): bigint | undefined {
  const [address = ''] = text.split('%');
  if (!isIPv6(address)) return undefined;
  const [before = '', after] = canonicalIPv6(address).split('::');
  const [head, tail] = [groupsOf(before), groupsOf(after ?? '')];
  const gap = Array<bigint>(after === undefined ? 0 : 8 - head.length - tail.length).fill(0n);
  return [...head, ...gap, ...tail].reduce((number, group) => (number << 16n) | group, 0n);
}

function groupsOf(text: string): bigint[] {
  return text === '' ? [] : text.split(':').map((group) => BigInt(`0x${group}`));
}

/** URLs write IPv6 as RFC 5952 wants it, but for the dots of embedded IPv4. */
function canonicalIPv6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function formatAddress({ bits, number }: Pick<Address, 'bits' | 'number'>): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => (number >> BigInt(112 - 16 * index)) & 0xffffn);
  return canonicalIPv6(groups.map((group) => group.toString(16)).join(':'));
}

function formatRange({ bits, number }: Pick<Address, 'bits' | 'number'>, length: number): string {
  const host = BigInt(bits - length);
  const base = formatAddress({ bits, number: (number >> host) << host });
  return length === bits ? base : `${base}/${length}`;
}

function normaliseWideRange(base: string, length: number): string | undefined {
  const number = parseIPv6(base);
  return number === undefined ? undefined : formatRange({ bits: 128, number }, length);
}
