import { createHash, randomBytes, randomInt } from 'node:crypto';

/** 256 bits from the CSPRNG, 43 base64url characters. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Characters drawn uniformly from an alphabet by the CSPRNG. */
export function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
