import { defineEntity, p } from '@mikro-orm/core';

const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.integer().primary(),
    /** The public part, `lsk_<keyId>_…`; `env` for the key given by the configuration. */
    keyId: p.text(),
    /** SHA-256 of the whole key. The key itself is never stored. */
    digest: p.blob().hidden(),
    name: p.text(),
    scopes: p.array(),
    expiresAt: p.datetime().nullable().strictNullable(),
    lastUsedAt: p.datetime().nullable().strictNullable(),
    revokedAt: p.datetime().nullable().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class ApiKey extends ApiKeySchema.class {
  isExpired(now: Date): boolean {
    return this.expiresAt !== null && this.expiresAt <= now;
  }
}

ApiKeySchema.setClass(ApiKey);
