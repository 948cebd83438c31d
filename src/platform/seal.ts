import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 'v1';

/** The sealed text was made with another secret key, or was changed. */
export class SealBroken extends Error {}

/** Encrypts a secret for storage (AES-256-GCM): `v1.<nonce>.<tag>.<ciphertext>`, each base64url. */
export function seal(plain: string, secretKey: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv(ALGORITHM, keyOf(secretKey), nonce);
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return [VERSION, ...[nonce, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url'))].join(
    '.',
  );
}

/** Throws {@link SealBroken}. */
export function unseal(text: string, secretKey: string): string {
  const [version, ...parts] = text.split('.');
  const [nonce, tag, sealed] = parts.map((part) => Buffer.from(part, 'base64url'));
  if (version !== VERSION || !nonce || !tag || !sealed) throw new SealBroken('This is no sealed text');
  try {
    const decipher = createDecipheriv(ALGORITHM, keyOf(secretKey), nonce).setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
  } catch (error) {
    throw new SealBroken('This was sealed with another SECRET_KEY', { cause: error });
  }
}

/** Any text of enough entropy serves as the secret key; the cipher wants 32 bytes. */
function keyOf(secretKey: string): Buffer {
  return createHash('sha256').update(`seal:${secretKey}`).digest();
}
