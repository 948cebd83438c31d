import { randomText } from '../../platform/random.js';

/** RFC 4648 base32 in lower case: safe in a URL, and read aloud without saying which case. */
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const RANDOM_LENGTH = 20;

/** A new public id: `usr_` and 20 characters of base32 from the CSPRNG, 100 bit. */
export function generateUserId(): string {
  return `usr_${randomText(BASE32, RANDOM_LENGTH)}`;
}

export const EMAIL_LENGTH_MAX = 255;
// What a mail server accepts only it can say. This keeps out what can't be an address at all.
const EMAIL = /^[^\s@]+@[^\s@]+$/u;

/** Whether a text may be an e-mail address: something, one `@`, something, at most 255 characters in all. */
export function isEmail(text: string): boolean {
  return text.length <= EMAIL_LENGTH_MAX && EMAIL.test(text);
}
