import { defineEntity, p } from '@mikro-orm/core';
import { User } from '../users/user.entity.js';

const IdentitySchema = defineEntity({
  name: 'Identity',
  tableName: 'identity',
  properties: {
    id: p.integer().primary(),
    user: () => p.manyToOne(User).ref(),
    /** E.g. `discord`; unique together with `providerId`. */
    provider: p.text(),
    providerId: p.text(),
    metadata: p.json<Record<string, unknown>>(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class Identity extends IdentitySchema.class {}

IdentitySchema.setClass(Identity);
