import { createPrivateKey, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import type { JWK } from 'jose';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';
import { seal, unseal } from '../../platform/seal.js';
import { emit } from '../events.js';
import { SigningKey } from './signing-key.entity.js';

/** The key that signs now. */
export interface Signer {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

// Unsealing costs more than signing, so the key in use is kept; which one that is, the database says each time.
const unsealed = new Map<string, KeyObject>();

/** The current signing key, made at first use. Throws SealBroken when `SECRET_KEY` is not the one it was sealed with. */
export async function currentSigner(em: EntityManager, ctx: ActionContext): Promise<Signer> {
  const current = await currentKey(em, ctx);
  const cacheKey = `${current.kid} ${current.sealedPrivateKey}`;
  let privateKey = unsealed.get(cacheKey);
  if (!privateKey) {
    const jwk = JSON.parse(unseal(current.sealedPrivateKey, ctx.settings)) as JWK;
    privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
    unsealed.set(cacheKey, privateKey);
  }
  return { kid: current.kid, privateKey };
}

/** Every public key, newest first, as a JSON Web Key Set (RFC 7517). Retired ones stay: what they signed stays true. */
export async function publicKeys(em: EntityManager, ctx: ActionContext): Promise<SigningKey[]> {
  await currentKey(em, ctx);
  return em.find(SigningKey, {}, { orderBy: { createdAt: 'desc', kid: 'asc' } });
}

/** A new key signs from now on; the old one is retired. */
export async function rotateSigningKey(em: EntityManager, ctx: ActionContext): Promise<SigningKey> {
  await lock(em);
  const now = ctx.clock.now();
  for (const old of await em.find(SigningKey, { retiredAt: null })) {
    old.retiredAt = now;
    await emit(em, ctx, 'signing_key.retired', {
      resource: { type: 'signing_key', id: old.kid },
      data: jwkOf(old),
    });
  }
  return create(em, ctx);
}

/** `X-Signature: t=<unix s>,kid=<key id>,v1=<base64 Ed25519 over "t." + body>`. */
export function signatureHeader({ kid, privateKey }: Signer, body: string, now: Date): string {
  const t = Math.floor(now.getTime() / 1000);
  const signature = sign(null, Buffer.from(`${t}.${body}`), privateKey).toString('base64');
  return `t=${t},kid=${kid},v1=${signature}`;
}

async function currentKey(em: EntityManager, ctx: ActionContext): Promise<SigningKey> {
  return (await findCurrent(em)) ?? createFirst(em, ctx);
}

async function findCurrent(em: EntityManager): Promise<SigningKey | undefined> {
  const [current] = await em.find(
    SigningKey,
    { retiredAt: null },
    { orderBy: { createdAt: 'desc' }, limit: 1 },
  );
  return current;
}

async function createFirst(em: EntityManager, ctx: ActionContext): Promise<SigningKey> {
  return em.fork().transactional(async (tx) => {
    await lock(tx);
    return (await findCurrent(tx)) ?? create(tx, ctx);
  });
}

async function create(em: EntityManager, ctx: ActionContext): Promise<SigningKey> {
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const { kty = '', crv = '', x = '' } = await exportJWK(pair.publicKey);
  const key = em.create(SigningKey, {
    kid: await calculateJwkThumbprint({ kty, crv, x }),
    publicJwk: { kty, crv, x },
    sealedPrivateKey: seal(JSON.stringify(await exportJWK(pair.privateKey)), ctx.settings),
    createdAt: ctx.clock.now(),
    retiredAt: null,
  });
  em.persist(key);
  await em.flush();
  await emit(em, ctx, 'signing_key.created', {
    resource: { type: 'signing_key', id: key.kid },
    data: jwkOf(key),
  });
  return key;
}

/** The public key as REST returns it (RFC 7517). */
export function jwkOf({ publicJwk, kid }: SigningKey) {
  return { ...publicJwk, kid, alg: 'EdDSA', use: 'sig' };
}

/** Two gateways at once must not both make the first key. */
async function lock(em: EntityManager): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('signing_key'))`.execute(em.getKysely());
}
