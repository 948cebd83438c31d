import { defineEntity, p } from '@mikro-orm/core';
import { namedRecordProperties } from '../custom-fields/named-record.entity.js';

const ProductSchema = defineEntity({
  name: 'Product',
  tableName: 'product',
  properties: {
    ...namedRecordProperties,
    /** Life of a session of this product in seconds, 60–86 400; null: the server's default. */
    sessionTtl: p.integer().nullable().strictNullable(),
  },
});

export class Product extends ProductSchema.class {}

ProductSchema.setClass(Product);
