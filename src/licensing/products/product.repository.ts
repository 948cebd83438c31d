import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** The names of the addons attached to each product, in alphabetical order; one statement for any number. */
export async function addonNamesOf(
  em: EntityManager,
  productIds: readonly number[],
): Promise<Map<number, string[]>> {
  const { rows } = await sql<{ product_id: number; names: string[] }>`
    select pa.product_id, array_agg(a.name order by a.name) as names
      from product_addon pa join addon a on a.id = pa.addon_id
     where pa.product_id = any(${productIds})
     group by pa.product_id`.execute(em.getKysely());
  return new Map(rows.map((row) => [row.product_id, row.names]));
}

/** The products that have the addon, each with the names of all its addons; locked against changes at once. */
export async function productsWithAddon(
  em: EntityManager,
  addonId: number,
): Promise<{ name: string; addons: string[] }[]> {
  const { rows } = await sql<{ name: string; addons: string[] }>`
    select p.name, array(select a.name from product_addon pa join addon a on a.id = pa.addon_id
                          where pa.product_id = p.id order by a.name) as addons
      from product p
     where exists (select from product_addon pa where pa.product_id = p.id and pa.addon_id = ${addonId})
     order by p.id for update of p`.execute(em.getKysely());
  return rows;
}

/** Makes exactly these addons the product's. */
export async function replaceProductAddons(
  em: EntityManager,
  productId: number,
  addonIds: readonly number[],
): Promise<void> {
  const db = em.getKysely();
  await sql`delete from product_addon where product_id = ${productId} and addon_id <> all(${addonIds})`.execute(
    db,
  );
  await sql`
    insert into product_addon (product_id, addon_id) select ${productId}, unnest(${addonIds}::integer[])
    on conflict do nothing`.execute(db);
}

/** Attaches the addon; true when it was not attached before. */
export async function attachProductAddon(
  em: EntityManager,
  productId: number,
  addonId: number,
): Promise<boolean> {
  const result = await sql`
    insert into product_addon (product_id, addon_id) values (${productId}, ${addonId})
    on conflict do nothing`.execute(em.getKysely());
  return result.numAffectedRows === 1n;
}

/** Detaches the addon; true when it was attached before. */
export async function detachProductAddon(
  em: EntityManager,
  productId: number,
  addonId: number,
): Promise<boolean> {
  const result = await sql`
    delete from product_addon where product_id = ${productId} and addon_id = ${addonId}`.execute(
    em.getKysely(),
  );
  return result.numAffectedRows === 1n;
}
