import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { dataTogether } from '../../platform/events/emit.js';
import type { Changes } from '../../platform/events/emit.js';
import { emitMany } from '../events.js';
import type { LicensingEvent } from '../events.js';
import { purchasesData } from './purchase-data.repository.js';

export interface PurchaseChange {
  readonly id: number;
  readonly saleId: string;
  readonly changes: Changes;
}

/** Announces what became of purchases, each as REST returns it. */
export async function announcePurchases(
  em: EntityManager,
  ctx: ActionContext,
  event: LicensingEvent,
  purchases: readonly PurchaseChange[],
): Promise<void> {
  const ids = purchases.map(({ id }) => id);
  const dataOf = dataTogether(() => purchasesData(em, ids));
  const emissions = purchases.map(({ id, saleId, changes }) => ({
    resource: { type: 'purchase', id: saleId },
    changes,
    data: dataOf(id),
  }));
  await emitMany(em, ctx, event, emissions);
}
