import { createHash, randomFillSync, randomInt } from 'node:crypto';

const TOKEN_BYTES = 32;
/** Random bytes are drawn for many tokens at once, which costs hardly more than for one; each is used once. */
const pool = Buffer.alloc(256 * TOKEN_BYTES);
let drawn = pool.length;

/** 256 bits from the CSPRNG, 43 base64url characters. */
export function randomToken(): string {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  const token = pool.toString('base64url', drawn, drawn + TOKEN_BYTES);
  pool.fill(0, drawn, (drawn += TOKEN_BYTES));
  return token;
}

/** Characters drawn uniformly from an alphabet by the CSPRNG. */
export function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
