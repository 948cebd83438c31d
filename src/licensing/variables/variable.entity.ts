import { defineEntity, p } from '@mikro-orm/core';
import { License } from '../licenses/license.entity.js';
import { Product } from '../products/product.entity.js';

/** Whose a variable is. `user` variables belong to a license's holder, who reads and writes them with the key. */
export const VARIABLE_SCOPES = ['global', 'product', 'license', 'user'] as const;
export type VariableScope = (typeof VARIABLE_SCOPES)[number];

const VariableSchema = defineEntity({
  name: 'Variable',
  tableName: 'variable',
  properties: {
    id: p.integer().primary(),
    scope: p.text().$type<VariableScope>(),
    product: () => p.manyToOne(Product).ref().nullable().strictNullable(),
    license: () => p.manyToOne(License).ref().nullable().strictNullable(),
    key: p.text(),
    value: p.json<unknown>(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class Variable extends VariableSchema.class {}

VariableSchema.setClass(Variable);
