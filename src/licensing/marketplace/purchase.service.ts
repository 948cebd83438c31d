import type { EntityManager } from '@mikro-orm/postgresql';
import { NotFound } from '../../platform/errors.js';
import { Purchase } from './purchase.entity.js';

/** The purchase of a sale; throws `PURCHASE_NOT_FOUND`. */
export async function findPurchase(em: EntityManager, saleId: string): Promise<Purchase> {
  const purchase = await em.findOne(Purchase, { saleId });
  if (!purchase) throw new NotFound('purchase', saleId);
  return purchase;
}
