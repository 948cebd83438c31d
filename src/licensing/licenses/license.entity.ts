import { defineEntity, p } from '@mikro-orm/core';
import { Addon } from '../addons/addon.entity.js';
import { Customer } from '../customers/customer.entity.js';
import { Product } from '../products/product.entity.js';
import { User } from '../users/user.entity.js';

/** A license's stored state. `expired` and `banned` are derived at validation and never stored. */
export const LICENSE_STATUSES = ['active', 'suspended', 'revoked'] as const;
export type LicenseStatus = (typeof LICENSE_STATUSES)[number];

/** `seats` of a license that any number of sessions may use at once. */
export const UNLIMITED_SEATS = -1;

const LicenseSchema = defineEntity({
  name: 'License',
  tableName: 'license',
  properties: {
    id: p.integer().primary(),
    key: p.text(),
    /** The key's normal form, by which it is found; see `license-key.rules.ts`. */
    lookup: p.text().hidden(),
    status: p.text().$type<LicenseStatus>(),
    product: () => p.manyToOne(Product).ref().nullable().strictNullable(),
    customer: () => p.manyToOne(Customer).ref().nullable().strictNullable(),
    user: () => p.manyToOne(User).ref().nullable().strictNullable(),
    /** Null: never. */
    expiresAt: p.datetime().nullable().strictNullable(),
    seats: p.integer(),
    note: p.text().nullable().strictNullable(),
    addons: () =>
      p.manyToMany(Addon).pivotTable('license_addon').joinColumn('license_id').inverseJoinColumn('addon_id'),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class License extends LicenseSchema.class {}

LicenseSchema.setClass(License);
