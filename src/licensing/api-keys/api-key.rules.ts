import { timingSafeEqual } from 'node:crypto';
import { randomText, randomToken, sha256 } from '../../platform/random.js';

const ID_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const ID_LENGTH = 8;
const KEY = /^lsk_([a-z0-9]{8})_[\w-]{43}$/;

/** The id under which the key that the configuration gives (`API_KEY`) is kept. */
export const CONFIGURED_KEY_ID = 'env';

export interface NewKey {
  /** The whole key, shown once: `lsk_<8-char id>_<43 base64url characters>`, 256 bit. */
  readonly plain: string;
  readonly keyId: string;
  readonly digest: Buffer;
}

export function generateApiKey(): NewKey {
  const keyId = randomText(ID_ALPHABET, ID_LENGTH);
  const plain = `lsk_${keyId}_${randomToken()}`;
  return { plain, keyId, digest: sha256(plain) };
}

/** Under which ids a presented key may be kept. The configured one can look like any other. */
export function candidateIdsOf(presented: string): string[] {
  const [, keyId] = KEY.exec(presented) ?? [];
  return keyId === undefined ? [CONFIGURED_KEY_ID] : [keyId, CONFIGURED_KEY_ID];
}

/** Compares in constant time, so that the time of an answer tells nothing about the stored digest. */
export function matchesDigest(presented: string, digest: Uint8Array): boolean {
  return digest.length === 32 && timingSafeEqual(sha256(presented), digest);
}
