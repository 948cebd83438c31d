import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { inAccount } from './account.repository.js';
import type { AccountKey } from './account.repository.js';
import type { Notice } from './notice.rules.js';

/** Stores a notice as it came; false when it is there already, from whichever gateway. */
export async function insertNotice(
  em: EntityManager,
  notice: Notice,
  payload: Readonly<Record<string, unknown>>,
  now: Date,
): Promise<boolean> {
  const { kind, key, marketplace, resourceId, purchaserId } = notice;
  const { rows } = await sql`
    insert into purchase_notice
        (kind, key, marketplace, resource_id, purchaser_id, occurred_at, payload, received_at)
      values (${kind}, ${key}, ${marketplace}, ${resourceId}, ${purchaserId}, ${notice.occurredAt ?? now},
              ${JSON.stringify(payload)}::jsonb, ${now})
      on conflict (kind, key) do nothing
      returning id`.execute(em.getKysely());
  return rows.length > 0;
}

/**
 * Notes on its purchase what a notice says. The purchase itself says everything; a reversal says that it was taken back,
 * and whose it was only while nobody has said it better. A chargeback is never made less by a refund.
 */
export async function notePurchase(em: EntityManager, notice: Notice, now: Date): Promise<number> {
  const isPurchase = notice.kind === 'purchase';
  const [receivedAt, reversal] = isPurchase ? [now, null] : [null, notice.kind];
  const { rows } = await sql<{ id: number }>`
    with noted as (
      insert into purchase as p
          (sale_id, marketplace, resource_id, purchaser_id, username, marketplace_license_id, addon_id, renewal, price,
           currency, purchase_date, received_at, reversal, revision, created_at, updated_at)
        values (${notice.saleId}, ${notice.marketplace}, ${notice.resourceId}, ${notice.purchaserId},
                ${notice.username}, ${notice.marketplaceLicenseId}, ${notice.addonId}, ${notice.renewal},
                ${notice.price}, ${notice.currency}, ${notice.purchaseDate}, ${receivedAt}, ${reversal}, 1, ${now}, ${now})
        on conflict (sale_id) do update set ${isPurchase ? ALL_FACTS : REVERSAL_FACTS},
          revision = p.revision + 1, updated_at = excluded.updated_at
        returning id
    )
    update purchase_notice n set purchase_id = noted.id from noted
     where n.kind = ${notice.kind} and n.key = ${notice.key}
    returning noted.id`.execute(em.getKysely());
  const [row] = rows;
  if (!row) throw new Error('The notice of a purchase is gone');
  return row.id;
}

const ALL_FACTS = sql`
  marketplace = excluded.marketplace, resource_id = excluded.resource_id, purchaser_id = excluded.purchaser_id,
  username = excluded.username, marketplace_license_id = excluded.marketplace_license_id,
  addon_id = excluded.addon_id, renewal = excluded.renewal, price = excluded.price, currency = excluded.currency,
  purchase_date = excluded.purchase_date, received_at = excluded.received_at`;

const REVERSAL_FACTS = sql`
  resource_id = coalesce(p.resource_id, excluded.resource_id),
  purchaser_id = coalesce(p.purchaser_id, excluded.purchaser_id),
  reversal = case when p.reversal = 'chargeback' then p.reversal else excluded.reversal end`;

/** Notes that all which a buyer has bought of a resource is to be looked at again. */
export async function noteRemoval(em: EntityManager, key: AccountKey): Promise<void> {
  await sql`update purchase set revision = revision + 1 where ${inAccount(key)}`.execute(em.getKysely());
}

/** The purchase that an earlier notice of this kind and key was about; undefined when it was about none in particular. */
export async function purchaseOfNotice(
  em: EntityManager,
  { kind, key }: Pick<Notice, 'kind' | 'key'>,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number | null }>`
    select purchase_id as id from purchase_notice where kind = ${kind} and key = ${key}`.execute(
    em.getKysely(),
  );
  return rows[0]?.id ?? undefined;
}

/** The last thing that a buyer bought of a resource. */
export async function lastPurchaseOf(em: EntityManager, key: AccountKey): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from purchase where ${inAccount(key)}
     order by coalesce(purchase_date, received_at, created_at) desc, id desc limit 1`.execute(em.getKysely());
  return rows[0]?.id;
}

/** Whether all that was heard of a purchase is in its state already. */
export async function isSettled(em: EntityManager, purchaseId: number): Promise<boolean> {
  const { rows } = await sql<{ settled: boolean }>`
    select settled_revision = revision as settled from purchase where id = ${purchaseId}`.execute(
    em.getKysely(),
  );
  return rows[0]?.settled ?? true;
}
