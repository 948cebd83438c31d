import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { PurchaseStatus } from './purchase.entity.js';
import { redeemCodeOf } from './redeem-code.rules.js';

/** A purchase as a claim looks at it. */
export interface Claimable {
  /** Taken back is also what was bought for a license that was. */
  readonly status: PurchaseStatus;
  readonly problem: string | null;
  readonly username: string | null;
  readonly userId: number | null;
  readonly licenseId: number;
  /** Null: it has no license. */
  readonly licenseKey: string | null;
  readonly licenseUserId: number | null;
}

/** Which purchase a redeem code is of, or else a sale id. */
export async function findPurchaseId(em: EntityManager, redeem: string): Promise<number | undefined> {
  const text = redeem.trim();
  // Postgres text can't hold U+0000, so nothing has one.
  if (text.includes('\u0000')) return undefined;
  const { rows } = await sql<{ id: number }>`
    select id from purchase where redeem = ${redeemCodeOf(text) ?? null} or sale_id = ${text}
     order by sale_id = ${text} limit 1`.execute(em.getKysely());
  return rows[0]?.id;
}

export async function findClaimable(em: EntityManager, id: number): Promise<Claimable> {
  const { rows } = await sql<Claimable>`
    select case when p.status in ('refunded', 'chargeback') then p.status else coalesce(f.status, p.status) end as status,
           p.problem, p.username, p.user_id as "userId", l.id as "licenseId", l.key as "licenseKey",
           l.user_id as "licenseUserId"
      from purchase p left join license l on l.id = p.license_id
           left join purchase f on f.license_id = p.license_id and f.redeem is not null
     where p.id = ${id}`.execute(em.getKysely());
  const [row] = rows;
  if (!row) throw new Error(`There is no purchase ${id}`);
  return row;
}

/**
 * All that was bought for a license, renewals and addons too, is the user's now; what was taken back keeps its status.
 * Resolves to the purchase that the license was made for.
 */
export async function claimLicense(em: EntityManager, licenseId: number, userId: number, now: Date) {
  const { rows } = await sql<{ id: number; saleId: string }>`
    with claimed as (
      update purchase
         set user_id = ${userId}, updated_at = ${now},
             status = case when status = 'pending' then 'claimed' else status end
       where license_id = ${licenseId}
      returning id, sale_id, redeem
    )
    select id, sale_id as "saleId" from claimed order by redeem is null, id limit 1`.execute(em.getKysely());
  const [founder] = rows;
  if (!founder) throw new Error(`No purchase is for the license ${licenseId}`);
  return founder;
}

/** Gives what one user has claimed to another. */
export async function movePurchases(em: EntityManager, fromId: number, toId: number, now: Date) {
  const { rows } = await sql<{ id: number; saleId: string }>`
    update purchase set user_id = ${toId}, updated_at = ${now} where user_id = ${fromId}
    returning id, sale_id as "saleId"`.execute(em.getKysely());
  return rows;
}

/** Takes what a user has claimed from it; what wasn't taken back may be claimed again. */
export async function releasePurchases(em: EntityManager, userId: number, now: Date) {
  const { rows } = await sql<{ id: number; saleId: string; was: PurchaseStatus; is: PurchaseStatus }>`
    update purchase p
       set user_id = null, updated_at = ${now},
           status = case when p.status = 'claimed' then 'pending' else p.status end
      from (select id, status from purchase where user_id = ${userId} order by id for update) before
     where before.id = p.id
    returning p.id, p.sale_id as "saleId", before.status as was, p.status as is`.execute(em.getKysely());
  return rows;
}
