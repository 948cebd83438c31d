import { createSecretKey, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

const PREFIX = 'whsec_';
const BYTES = 32;
const BYTES_MIN = 24;
const BYTES_MAX = 64;

/** A new secret, as Standard Webhooks writes it: `whsec_` and base64 of 32 random bytes. */
export function generateSecret(): string {
  return PREFIX + randomBytes(BYTES).toString('base64');
}

export const ALLOWED_SECRET = `must be ${PREFIX} and base64 of ${BYTES_MIN} to ${BYTES_MAX} bytes`;

export function isSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded && bytes.length >= BYTES_MIN && bytes.length <= BYTES_MAX;
}

/** What signs with the secret. Made once for many signatures: that is several times as fast as a key made each time. */
export function signingKeyOf(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'));
}
