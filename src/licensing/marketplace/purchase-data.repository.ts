import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { millis } from './account.repository.js';
import type { PurchaseStatus } from './purchase.entity.js';

/** A purchase as REST returns it. */
export interface PurchaseData extends Readonly<Record<string, unknown>> {
  readonly sale_id: string;
  readonly status: PurchaseStatus;
  readonly license_key: string | null;
  readonly redeem: string | null;
}

/** Purchases as REST returns them, by id; one statement for any number. */
export async function purchasesData(
  em: EntityManager,
  ids: readonly number[],
): Promise<Map<number, PurchaseData>> {
  const { rows } = await sql<Row>`
    select p.id, p.sale_id, p.marketplace, p.resource_id, p.addon_id, p.purchaser_id, p.username,
           p.marketplace_license_id, u.user_id, d.name as product, l.key as license_key, p.redeem, p.status, p.problem,
           p.renewal, p.price, p.currency, ${millis('p.purchase_date')} as purchase_date,
           ${millis('p.created_at')} as created_at, ${millis('p.updated_at')} as updated_at
      from purchase p left join app_user u on u.id = p.user_id left join product d on d.id = p.product_id
           left join license l on l.id = p.license_id
     where p.id = any(${ids})`.execute(em.getKysely());
  return new Map(
    rows.map(({ created_at, updated_at, purchase_date, ...purchase }) => [
      purchase.id,
      {
        ...purchase,
        purchase_date: purchase_date === null ? null : new Date(purchase_date),
        createdAt: new Date(created_at),
        updatedAt: new Date(updated_at),
      },
    ]),
  );
}

interface Row {
  readonly id: number;
  readonly sale_id: string;
  readonly status: PurchaseStatus;
  readonly license_key: string | null;
  readonly redeem: string | null;
  readonly purchase_date: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}
