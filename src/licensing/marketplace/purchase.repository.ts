import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { findPage } from '../../platform/db/page.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import { reachedUserIds } from '../users/user.repository.js';
import { millis } from './account.repository.js';
import { Purchase } from './purchase.entity.js';
import type { PurchaseStatus } from './purchase.entity.js';

export interface PurchaseFilter {
  readonly saleId?: string | null;
  readonly status?: PurchaseStatus | null;
  readonly marketplace?: string | null;
  readonly resourceId?: string | null;
  readonly purchaserId?: string | null;
  readonly renewal?: boolean | null;
  /** Name of the product. */
  readonly product?: string | null;
  /** Public id; a merged one leads to its user. */
  readonly user?: string | null;
  /** Whether something is in its way. */
  readonly hasProblem?: boolean | null;
}

export async function findPurchases(
  em: EntityManager,
  filter: PurchaseFilter,
  request: PageRequest,
): Promise<RowPage<Purchase>> {
  const all: FilterQuery<Purchase>[] = [];
  if (filter.saleId != null) all.push({ saleId: filter.saleId });
  if (filter.status != null) all.push({ status: filter.status });
  if (filter.marketplace != null) all.push({ marketplace: filter.marketplace });
  if (filter.resourceId != null) all.push({ resourceId: filter.resourceId });
  if (filter.purchaserId != null) all.push({ purchaserId: filter.purchaserId });
  if (filter.renewal != null) all.push({ renewal: filter.renewal });
  if (filter.product != null) all.push({ product: { name: filter.product } });
  if (filter.user != null) all.push({ user: { $in: await reachedUserIds(em, [filter.user]) } });
  if (filter.hasProblem != null) all.push({ problem: filter.hasProblem ? { $ne: null } : null });
  return findPage(em, Purchase, { $and: all }, request);
}

/** What a marketplace said about a purchase, as it said it, its secret aside. */
export interface PurchaseNotice {
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly receivedAt: Date;
}

/** The notices of each purchase, in the order in which they came; one statement for any number. */
export async function noticesOf(
  em: EntityManager,
  ids: readonly number[],
): Promise<Map<number, PurchaseNotice[]>> {
  const { rows } = await sql<Omit<PurchaseNotice, 'receivedAt'> & { purchaseId: number; receivedAt: number }>`
    select purchase_id as "purchaseId", kind, payload, ${millis('received_at')} as "receivedAt"
      from purchase_notice where purchase_id = any(${ids}) order by id`.execute(em.getKysely());
  const notices = Map.groupBy(rows, ({ purchaseId }) => purchaseId);
  return new Map(
    [...notices].map(([id, ofOne]) => [
      id,
      ofOne.map(({ kind, payload, receivedAt }) => ({ kind, payload, receivedAt: new Date(receivedAt) })),
    ]),
  );
}
