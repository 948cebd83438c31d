import { randomText } from '../../platform/random.js';

/** Crockford's base32: no I, L, O or U, which are misread. */
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUPS = 5;
const GROUP_LENGTH = 5;
const AS_MADE = new RegExp(
  `^[${CROCKFORD}]{${GROUP_LENGTH}}(?:-[${CROCKFORD}]{${GROUP_LENGTH}}){${GROUPS - 1}}$`,
);
const GENERATED = new RegExp(`^[${CROCKFORD}]{${GROUPS * GROUP_LENGTH}}$`);

/** A new key: 5×5 characters of Crockford base32 from the CSPRNG, 125 bit. */
export function generateKey(): string {
  return Array.from({ length: GROUPS }, () => randomText(CROCKFORD, GROUP_LENGTH)).join('-');
}

/**
 * The normal form by which a key is stored and found: case is folded, and what reads as a generated key also loses
 * its dashes and spaces and has O read as 0, I and L as 1. A function of the text alone, so that a key is found
 * however it was typed, and two keys that read alike can't both exist.
 */
export function lookupOf(key: string): string {
  // What every product sends: it is in order, and the rest is for people.
  if (AS_MADE.test(key)) return key.replaceAll('-', '');
  const folded = PLAIN.test(key) ? key.trim().toUpperCase() : foldAny(key);
  const typed = folded.replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  return GENERATED.test(typed) ? typed : folded;
}

/** Printable ASCII: one character each, and normalised already. */
const PLAIN = /^[\x20-\x7e]*$/;

function foldAny(key: string): string {
  // Upper case can come apart (ΐ) and be put together again, so that only the second normal form is stable.
  return key.trim().normalize('NFC').toUpperCase().normalize('NFC');
}

const MASK_SHOWS_MAX = 6;

/**
 * A key as logs show it: its last 6 characters, fewer of a short one, which must not be told whole. Whatever was
 * presented as a key, the result is text that a database takes: no half of a surrogate pair, no U+0000.
 */
export function maskKey(key: string): string {
  if (PLAIN.test(key)) return `…${key.slice(key.length - shownOf(key.length))}`;
  const characters = Array.from(key.toWellFormed().replaceAll('\u0000', '\ufffd'));
  return `…${characters.slice(characters.length - shownOf(characters.length)).join('')}`;
}

function shownOf(length: number): number {
  return Math.min(MASK_SHOWS_MAX, Math.floor(length / 2));
}
