import { defineEntity, p } from '@mikro-orm/core';

const WebhookSchema = defineEntity({
  name: 'Webhook',
  tableName: 'webhook',
  properties: {
    id: p.integer().primary(),
    name: p.text(),
    /** Null: it is not complete yet, and can't be enabled. */
    url: p.text().nullable().strictNullable(),
    /** Names of events, kinds of them (`license.*`), and everything (`*`). */
    events: p.array(),
    enabled: p.boolean(),
    /** A JSON object, sealed, since headers may hold credentials. */
    sealedHeaders: p.text().hidden(),
    sealedSecret: p.text().hidden(),
    /** Signs too, until `oldSecretUntil`. */
    oldSealedSecret: p.text().nullable().strictNullable().hidden(),
    oldSecretUntil: p.datetime().nullable().strictNullable(),
    /** Since when no attempt has succeeded; null: the last one has, or there was none. */
    failingSince: p.datetime().nullable().strictNullable(),
    /** Counts the changes, so that a worker sees that what it has is old. */
    version: p.integer().version(),
    deletedAt: p.datetime().nullable().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** Where events are sent. */
export class Webhook extends WebhookSchema.class {}

WebhookSchema.setClass(Webhook);
