import { defineEntity, p } from '@mikro-orm/core';

const SigningKeySchema = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_key',
  properties: {
    /** RFC 7638 thumbprint of the public key. */
    kid: p.text().primary(),
    publicJwk: p.json<{ kty: string; crv: string; x: string }>(),
    /** The private key as a JWK, sealed with the secret key. */
    sealedPrivateKey: p.text().hidden(),
    createdAt: p.datetime(),
    /** From then on it signs nothing more, and still verifies what it signed. */
    retiredAt: p.datetime().nullable().strictNullable(),
  },
});

/** An Ed25519 key pair that signs verdicts and offline licenses. */
export class SigningKey extends SigningKeySchema.class {}

SigningKeySchema.setClass(SigningKey);
