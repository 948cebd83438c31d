import { defineEntity, p } from '@mikro-orm/core';
import { Product } from '../products/product.entity.js';

const MappingSchema = defineEntity({
  name: 'MarketplaceMapping',
  tableName: 'marketplace_mapping',
  properties: {
    id: p.integer().primary(),
    /** Null: on any marketplace. */
    marketplace: p.text().nullable().strictNullable(),
    resourceId: p.text(),
    /** Null: the resource itself. */
    addonId: p.text().nullable().strictNullable(),
    product: () => p.manyToOne(Product).ref(),
    /** How long a license lasts from its creation; null: for ever. */
    durationDays: p.integer().nullable().strictNullable(),
    seats: p.integer(),
    /** What a renewal adds. */
    renewalDays: p.integer(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** Which product a marketplace's resource is, and what its licenses are like. */
export class Mapping extends MappingSchema.class {}

MappingSchema.setClass(Mapping);
