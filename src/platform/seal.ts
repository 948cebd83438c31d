import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { DomainError, ERRORS } from './errors.js';

const ALGORITHM = 'aes-256-gcm';

/**
 * What secrets are sealed with. Another key takes over by being put first while the one before stays among the
 * previous; then everything is sealed anew (`resealBatch`), and the previous one can go.
 */
export interface Keyring {
  readonly secretKey: string;
  /** Open what they have sealed, and seal nothing. */
  readonly previousSecretKeys: readonly string[];
}

/**
 * 503 `UNAVAILABLE`: the sealed text was made with a key that isn't there, or was changed. Who asked can't help it; who
 * runs the server finds the key that fits.
 */
export class SealBroken extends DomainError {
  constructor(reason: string) {
    const { status, title } = ERRORS.UNAVAILABLE;
    const message =
      "A stored secret can't be opened with SECRET_KEY; on the server, `npm run cli -- doctor` tells more";
    super('UNAVAILABLE', status, title, message, { cause: new Error(reason) });
    this.name = 'SealBroken';
  }
}

/**
 * Encrypts a secret for storage (AES-256-GCM): `v2.<key id>.<nonce>.<tag>.<ciphertext>`, each base64url. The id tells
 * which key it was, and nothing of that key.
 */
export function seal(plain: string, { secretKey }: Keyring): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv(ALGORITHM, keyOf(secretKey), nonce);
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  const parts = [nonce, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url'));
  return ['v2', sealIdOf(secretKey), ...parts].join('.');
}

/** Throws {@link SealBroken}. */
export function unseal(text: string, { secretKey, previousSecretKeys }: Keyring): string {
  const { keyId, parts } = partsOf(text);
  const keys = [secretKey, ...previousSecretKeys].filter(
    (key) => keyId === undefined || sealIdOf(key) === keyId,
  );
  for (const key of keys) {
    const plain = open(parts, key);
    if (plain !== undefined) return plain;
  }
  throw new SealBroken('This was sealed with another SECRET_KEY; is the one before in SECRET_KEY_PREVIOUS?');
}

/** What `v2` texts say of the key that has sealed them: 48 bits of a digest. */
export function sealIdOf(secretKey: string): string {
  return createHash('sha256').update(`seal id:${secretKey}`).digest('base64url').slice(0, 8);
}

/** Whether a text looks sealed. */
export function isSealed(text: string): boolean {
  return /^v[12]\.[\w.-]+$/.test(text);
}

/** `v1` texts, older, name no key: each may be the one. */
function partsOf(text: string): { keyId: string | undefined; parts: Buffer[] } {
  const [version, ...rest] = text.split('.');
  const keyId = version === 'v2' ? rest.shift() : undefined;
  if ((version !== 'v1' && version !== 'v2') || rest.length !== 3)
    throw new SealBroken('This is no sealed text');
  return { keyId, parts: rest.map((part) => Buffer.from(part, 'base64url')) };
}

function open([nonce, tag, sealed]: readonly Buffer[], key: string): string | undefined {
  if (!nonce || !tag || !sealed) return undefined;
  try {
    const decipher = createDecipheriv(ALGORITHM, keyOf(key), nonce).setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Any text of enough entropy serves as the secret key; the cipher wants 32 bytes. */
function keyOf(secretKey: string): Buffer {
  return createHash('sha256').update(`seal:${secretKey}`).digest();
}
