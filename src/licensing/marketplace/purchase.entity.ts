import { defineEntity, p } from '@mikro-orm/core';
import { License } from '../licenses/license.entity.js';
import { Product } from '../products/product.entity.js';
import { User } from '../users/user.entity.js';

export const PURCHASE_STATUSES = ['pending', 'claimed', 'refunded', 'chargeback', 'failed'] as const;
export type PurchaseStatus = (typeof PURCHASE_STATUSES)[number];

/** How a marketplace took a purchase back. */
export type Reversal = 'refunded' | 'chargeback';

const PurchaseSchema = defineEntity({
  name: 'Purchase',
  tableName: 'purchase',
  properties: {
    id: p.integer().primary(),
    /** The marketplace's own id, else one made of what was bought, by whom and when. Unique. */
    saleId: p.text(),
    marketplace: p.text(),
    resourceId: p.text().nullable().strictNullable(),
    purchaserId: p.text().nullable().strictNullable(),
    username: p.text().nullable().strictNullable(),
    marketplaceLicenseId: p.text().nullable().strictNullable(),
    addonId: p.text().nullable().strictNullable(),
    renewal: p.boolean(),
    price: p.double().nullable().strictNullable(),
    currency: p.text().nullable().strictNullable(),
    purchaseDate: p.datetime().nullable().strictNullable(),
    /** Null: only its refund was heard of so far. */
    receivedAt: p.datetime().nullable().strictNullable(),
    status: p.text().$type<PurchaseStatus>(),
    /** Why it has no license yet; null when nothing is in its way. */
    problem: p.text().nullable().strictNullable(),
    redeem: p.text().nullable().strictNullable(),
    product: () => p.manyToOne(Product).ref().nullable().strictNullable(),
    license: () => p.manyToOne(License).ref().nullable().strictNullable(),
    user: () => p.manyToOne(User).ref().nullable().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** Read only: its rows are written in SQL, by notices and by settling. */
export class Purchase extends PurchaseSchema.class {}

PurchaseSchema.setClass(Purchase);
