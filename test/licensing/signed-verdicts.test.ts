import { createPublicKey, verify } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { JSONWebKeySet } from 'jose';
import { START, startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';

let app: TestApp;
let key: string;

beforeAll(async () => {
  app = await startApp();
  const product = await app.seed.product({ name: 'Signed' });
  ({ key } = await app.seed.license({ product: product.name }));
});

async function jwks(): Promise<JSONWebKeySet> {
  return (await app.anonymous('GET', '/keys/public')).body as JSONWebKeySet;
}

/** What a product in the field does; the guide shows the same lines. */
function isGenuine(header: string, body: string, keys: JSONWebKeySet): boolean {
  const { t, kid, v1 } = Object.fromEntries(
    header.split(',').map((part) => part.split(/=(.*)/s).slice(0, 2)),
  ) as Record<string, string>;
  const jwk = keys.keys.find((each) => each.kid === kid);
  if (!jwk || v1 === undefined) return false;
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  return verify(null, Buffer.from(`${t ?? ''}.${body}`), publicKey, Buffer.from(v1, 'base64'));
}

describe('POST /licenses/validate with a nonce', () => {
  it('200: echoes the nonce and signs exactly the bytes it sends', async () => {
    const response = await app.anonymous('POST', '/licenses/validate', { license_key: key, nonce: 'n-1' });
    expect(response.body).toMatchObject({ valid: true, nonce: 'n-1' });
    const signature = String(response.headers['x-signature']);
    expect(signature).toMatch(
      new RegExp(`^t=${START.getTime() / 1000},kid=[\\w-]{43},v1=[A-Za-z0-9+/]{86}==$`),
    );
    const keys = await jwks();
    expect(isGenuine(signature, response.text, keys)).toBe(true);
    expect(isGenuine(signature, response.text.replace('true', 'True'), keys)).toBe(false);
    expect(isGenuine(signature.replace('t=1', 't=2'), response.text, keys)).toBe(false);
  });

  it('200: signs a refusal too', async () => {
    const response = await app.anonymous('POST', '/licenses/validate', {
      license_key: 'UNKNOWN-KEY',
      nonce: 'n-2',
    });
    expect(response.body).toMatchObject({ valid: false, code: 'NOT_FOUND', nonce: 'n-2' });
    expect(isGenuine(String(response.headers['x-signature']), response.text, await jwks())).toBe(true);
  });

  it('200 without a signature when no nonce is sent', async () => {
    const response = await app.anonymous('POST', '/licenses/validate', { license_key: key });
    expect(response.headers['x-signature']).toBeUndefined();
    expect(response.body).toMatchObject({ nonce: null });
  });

  it('422 for a nonce of more than 128 characters', async () => {
    const response = await app.anonymous('POST', '/licenses/validate', {
      license_key: key,
      nonce: 'n'.repeat(129),
    });
    expect(response.status).toBe(422);
    expect(response.body.errors[0].pointer).toBe('/nonce');
  });
});

describe('GET /keys/public', () => {
  it('200: one Ed25519 key, whoever asks and however often', async () => {
    const [first, second] = await Promise.all([jwks(), jwks()]);
    expect(first).toEqual(second);
    expect(first.keys).toEqual([
      {
        kty: 'OKP',
        crv: 'Ed25519',
        x: expect.any(String),
        kid: expect.any(String),
        alg: 'EdDSA',
        use: 'sig',
      },
    ]);
    expect(JSON.stringify(first)).not.toContain('"d"');
  });

  it('200: ten gateways at once make one key', async () => {
    const fresh = await startApp();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => fresh.anonymous('GET', '/keys/public')),
    );
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(await fresh.sql('select 1 from signing_key')).toHaveLength(1);
  });

  it('200: after a rotation both keys, and what the old one signed still verifies', async () => {
    const rotating = await startApp();
    const before = await rotating.anonymous('POST', '/licenses/validate', {
      license_key: 'UNKNOWN',
      nonce: 'a',
    });
    const { data } = await rotating.graphql('mutation { rotateSigningKey { kid } }');
    const after = await rotating.anonymous('POST', '/licenses/validate', {
      license_key: 'UNKNOWN',
      nonce: 'b',
    });
    const keys = (await rotating.anonymous('GET', '/keys/public')).body as JSONWebKeySet;
    expect(keys.keys).toHaveLength(2);
    expect(String(after.headers['x-signature'])).toContain(data.rotateSigningKey.kid);
    expect(isGenuine(String(before.headers['x-signature']), before.text, keys)).toBe(true);
    expect(isGenuine(String(after.headers['x-signature']), after.text, keys)).toBe(true);
  });

  it('stores the private key sealed', async () => {
    const [row] = await app.sql<{ sealed_private_key: string }>('select sealed_private_key from signing_key');
    expect(row?.sealed_private_key).toMatch(/^v2(\.[\w-]+){4}$/);
  });
});

describe('POST /licenses/checkout', () => {
  it('200: a JWT that any library verifies, with the facts of the license', async () => {
    const response = await app.anonymous('POST', '/licenses/checkout', { license_key: key });
    expect(response.status).toBe(200);
    expect(response.body.expires_at).toBe(new Date(START.getTime() + 30 * 86_400_000).toISOString());
    const { payload, protectedHeader } = await jwtVerify(
      response.body.token as string,
      createLocalJWKSet(await jwks()),
      {
        currentDate: START,
        algorithms: ['EdDSA'],
      },
    );
    expect(protectedHeader.kid).toBe(response.body.kid);
    expect(payload).toMatchObject({ sub: key, product: 'Signed', addons: [], whitelists: {}, seats: -1 });
  });

  it('200: never outlives the license', async () => {
    const expiresAt = new Date(START.getTime() + 7_200_000).toISOString();
    const license = await app.seed.license({ expires_at: expiresAt });
    const response = await app.anonymous('POST', '/licenses/checkout', {
      license_key: license.key,
      ttl: 86_400,
    });
    expect(response.body.expires_at).toBe(expiresAt);
  });

  it("403 with the verdict's code for a license that is not valid", async () => {
    const license = await app.seed.license({ status: 'suspended' });
    const response = await app.anonymous('POST', '/licenses/checkout', { license_key: license.key });
    expect(response.status).toBe(403);
    expect(response.body).toMatchObject({ code: 'SUSPENDED' });
  });

  it('404 for an unknown key', async () => {
    const response = await app.anonymous('POST', '/licenses/checkout', { license_key: 'UNKNOWN-KEY' });
    expect(response.status).toBe(404);
    expect(response.body).toMatchObject({ code: 'LICENSE_NOT_FOUND' });
  });

  it.each([3_599, 7_776_001])('422 for a ttl of %i seconds', async (ttl) => {
    const response = await app.anonymous('POST', '/licenses/checkout', { license_key: key, ttl });
    expect(response.status).toBe(422);
    expect(response.body.errors).toEqual([
      expect.objectContaining({
        pointer: '/ttl',
        detail: expect.stringContaining('between 3600 and 7776000'),
      }),
    ]);
  });
});
