import { defineEntity, p } from '@mikro-orm/core';

/** Where a request's value is read: a header, a member of its body, or the client's address. */
export const WHITELIST_TYPES = ['header', 'field', 'ip'] as const;
export type WhitelistType = (typeof WHITELIST_TYPES)[number];

const WhitelistSchema = defineEntity({
  name: 'Whitelist',
  tableName: 'whitelist',
  properties: {
    id: p.integer().primary(),
    name: p.text(),
    type: p.text().$type<WhitelistType>(),
    /** The header's name, for type `header`. */
    header: p.text().nullable().strictNullable(),
    /** The body member's name, for type `field`. */
    field: p.text().nullable().strictNullable(),
    /** Distinct values a license may hold: -1 any number, 0 only what an administrator sets, else 1–1000. */
    limit: p.integer().fieldName('value_limit'),
    /** Enforced for every license, whatever its product. */
    global: p.boolean().fieldName('is_global'),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class Whitelist extends WhitelistSchema.class {}

WhitelistSchema.setClass(Whitelist);
