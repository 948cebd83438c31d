import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { inAccount, millis } from './account.repository.js';
import type { AccountKey } from './account.repository.js';
import type { PurchaseStatus, Reversal } from './purchase.entity.js';
import type { Account, AccountPurchase, HeldLicense, MappingTerms } from './settlement.rules.js';

/** An account as it is stored, and the revision of each purchase's facts that this is. */
export interface StoredAccount extends Account {
  readonly revisions: ReadonlyMap<number, number>;
}

/** Loads an account under its lock; locks its users, so that they are neither merged nor deleted, and its licenses. */
export async function loadAccount(em: EntityManager, key: AccountKey): Promise<StoredAccount> {
  const db = em.getKysely();
  let rows = await purchaseRows(em, key);
  for (let locked = new Set<number>(); ;) {
    const users = [...new Set(rows.flatMap(({ userId }) => userId ?? []))];
    if (users.every((id) => locked.has(id))) break;
    await sql`select from app_user where id = any(${users}) order by id for share`.execute(db);
    locked = new Set(users);
    // Merged or deleted while we waited: the purchases have another user now, or none.
    rows = await purchaseRows(em, key);
  }
  const placeholder = await sql<{ licenseId: number }>`
    select license_id as "licenseId" from purchase_placeholder where ${inAccount(key)}`.execute(db);
  const placeholderId = placeholder.rows[0]?.licenseId;
  const licenses = await lockLicenses(em, [
    ...rows.flatMap(({ licenseId }) => licenseId ?? []),
    ...(placeholderId === undefined ? [] : [placeholderId]),
  ]);
  const removals = await sql<{ kind: Reversal; at: number }>`
    select kind, ${millis('occurred_at')} as at from purchase_notice
     where purchase_id is null and ${inAccount(key)}`.execute(db);
  return {
    purchases: rows.map(({ licenseId, at, ...row }): AccountPurchase => {
      const license = licenseId === null ? null : (licenses.get(licenseId) ?? null);
      return { ...row, at: new Date(at), license };
    }),
    removals: removals.rows.map(({ kind, at }) => ({ kind, at: new Date(at) })),
    placeholder: placeholderId === undefined ? null : (licenses.get(placeholderId) ?? null),
    revisions: new Map(rows.map(({ id, revision }) => [id, revision])),
  };
}

type PurchaseRow = Omit<AccountPurchase, 'at' | 'license'> & {
  readonly at: number;
  readonly licenseId: number | null;
  readonly revision: number;
};

async function purchaseRows(em: EntityManager, key: AccountKey): Promise<PurchaseRow[]> {
  const { rows } = await sql<PurchaseRow>`
    select id, sale_id as "saleId", (extract(epoch from coalesce(purchase_date, received_at, created_at)) * 1000)::float8 as at,
           received_at is not null as "isReceived", renewal, addon_id as "addonId", reversal, status, problem, redeem,
           product_id as "productId", license_id as "licenseId", user_id as "userId", suspends,
           extended_seconds as "extendedSeconds", granted_addon_ids as "grantedAddonIds", revision
      from purchase where ${inAccount(key)} order by id`.execute(em.getKysely());
  return rows;
}

async function lockLicenses(em: EntityManager, ids: readonly number[]): Promise<Map<number, HeldLicense>> {
  // On its own: a statement that waits for a lock goes on to read the addons of the moment before its wait.
  await sql`select from license where id = any(${ids}) order by id for update`.execute(em.getKysely());
  const { rows } = await sql<Omit<HeldLicense, 'expiresAt'> & { id: number; expiresAt: number | null }>`
    select l.id, l.product_id as "productId", l.seats, l.status, ${millis('l.expires_at')} as "expiresAt",
           array(select la.addon_id from license_addon la where la.license_id = l.id order by 1) as "addonIds"
      from license l where l.id = any(${ids})`.execute(em.getKysely());
  return new Map(
    rows.map((row) => [
      row.id,
      { ...row, expiresAt: row.expiresAt === null ? null : new Date(row.expiresAt) },
    ]),
  );
}

/** The mappings of a resource, by addon; one of this marketplace goes before one of any. */
export async function mappingTerms(
  em: EntityManager,
  { resourceId, marketplace }: Pick<AccountKey, 'resourceId' | 'marketplace'>,
): Promise<(addonId: string | null) => MappingTerms | undefined> {
  const { rows } = await sql<MappingTerms & { addonId: string | null }>`
    select distinct on (m.addon_id) m.addon_id as "addonId", m.product_id as "productId", m.seats,
           m.duration_days as "durationDays", m.renewal_days as "renewalDays",
           array(select ma.addon_id from marketplace_mapping_addon ma where ma.mapping_id = m.id order by 1) as "addonIds"
      from marketplace_mapping m
     where m.resource_id = ${resourceId} and (m.marketplace = ${marketplace} or m.marketplace is null)
     order by m.addon_id, m.marketplace nulls last`.execute(em.getKysely());
  const terms = new Map(rows.map(({ addonId, ...row }) => [addonId, row]));
  return (addonId) => terms.get(addonId);
}

export interface SettledPurchase extends Omit<AccountPurchase, 'license'> {
  readonly licenseId: number | null;
  /** Of the facts that were settled. */
  readonly revision: number;
  readonly isChanged: boolean;
}

/** Writes what settling made of purchases, in this order: a redeem code must leave one row before it enters another. */
export async function storeSettled(
  em: EntityManager,
  purchases: readonly SettledPurchase[],
  now: Date,
): Promise<void> {
  for (const one of purchases) {
    await sql`
      update purchase
         set status = ${one.status}, problem = ${one.problem}, redeem = ${one.redeem},
             product_id = ${one.productId}, license_id = ${one.licenseId}, user_id = ${one.userId},
             suspends = ${one.suspends}, extended_seconds = ${one.extendedSeconds},
             granted_addon_ids = ${one.grantedAddonIds}, settled_revision = ${one.revision},
             updated_at = case when ${one.isChanged} then ${now} else updated_at end
       where id = ${one.id} and (${one.isChanged} or settled_revision <> ${one.revision})`.execute(
      em.getKysely(),
    );
  }
}

/** A purchase of which only the refund is known, and not whose it was, is taken back; undefined when it was already. */
export async function settleStranger(em: EntityManager, purchaseId: number, now: Date) {
  const { rows } = await sql<{ id: number; saleId: string; was: PurchaseStatus; is: PurchaseStatus }>`
    update purchase p set status = p.reversal, settled_revision = p.revision, updated_at = ${now}
      from (select id, status from purchase where id = ${purchaseId} for update) before
     where p.id = before.id and (p.resource_id is null or p.purchaser_id is null) and p.reversal is not null
       and p.status <> p.reversal
    returning p.id, p.sale_id as "saleId", before.status as was, p.status as is`.execute(em.getKysely());
  return rows[0];
}

/** The placeholder's license has its purchase now. */
export async function forgetPlaceholder(em: EntityManager, key: AccountKey): Promise<void> {
  await sql`delete from purchase_placeholder where ${inAccount(key)}`.execute(em.getKysely());
}

/** Names of products or addons by id, for the services that take names. */
export async function namesOf(
  em: EntityManager,
  table: 'product' | 'addon',
  ids: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from ${sql.table(table)} where id = any(${ids})`.execute(em.getKysely());
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export async function keyOfLicense(em: EntityManager, id: number): Promise<string> {
  const { rows } = await sql<{ key: string }>`select key from license where id = ${id}`.execute(
    em.getKysely(),
  );
  const [row] = rows;
  if (!row) throw new Error(`There is no license ${id}`);
  return row.key;
}
