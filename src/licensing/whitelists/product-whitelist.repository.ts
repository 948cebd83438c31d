import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** The names of the whitelists attached to each product, in alphabetical order; one statement for any number. */
export async function whitelistNamesOf(
  em: EntityManager,
  productIds: readonly number[],
): Promise<Map<number, string[]>> {
  const { rows } = await sql<{ product_id: number; names: string[] }>`
    select pw.product_id, array_agg(w.name order by w.name) as names
      from product_whitelist pw join whitelist w on w.id = pw.whitelist_id
     where pw.product_id = any(${productIds})
     group by pw.product_id`.execute(em.getKysely());
  return new Map(rows.map((row) => [row.product_id, row.names]));
}

/** The products that have the list, each with the names of all its lists; locked against changes at once. */
export async function productsWithWhitelist(
  em: EntityManager,
  whitelistId: number,
): Promise<{ name: string; whitelists: string[] }[]> {
  const { rows } = await sql<{ name: string; whitelists: string[] }>`
    select p.name, array(select w.name from product_whitelist pw join whitelist w on w.id = pw.whitelist_id
                          where pw.product_id = p.id order by w.name) as whitelists
      from product p
     where exists (select from product_whitelist pw
                    where pw.product_id = p.id and pw.whitelist_id = ${whitelistId})
     order by p.id for update of p`.execute(em.getKysely());
  return rows;
}

/** Makes exactly these lists the product's. */
export async function replaceProductWhitelists(
  em: EntityManager,
  productId: number,
  whitelistIds: readonly number[],
): Promise<void> {
  const db = em.getKysely();
  await sql`
    delete from product_whitelist where product_id = ${productId} and whitelist_id <> all(${whitelistIds})`.execute(
    db,
  );
  await sql`
    insert into product_whitelist (product_id, whitelist_id)
    select ${productId}, unnest(${whitelistIds}::integer[])
    on conflict do nothing`.execute(db);
}

/** Attaches the list; nothing happens when it is attached already. */
export async function attachProductWhitelist(
  em: EntityManager,
  productId: number,
  whitelistId: number,
): Promise<void> {
  await sql`
    insert into product_whitelist (product_id, whitelist_id) values (${productId}, ${whitelistId})
    on conflict do nothing`.execute(em.getKysely());
}

/** Detaches the list; nothing happens when it is not attached. */
export async function detachProductWhitelist(
  em: EntityManager,
  productId: number,
  whitelistId: number,
): Promise<void> {
  await sql`
    delete from product_whitelist where product_id = ${productId} and whitelist_id = ${whitelistId}`.execute(
    em.getKysely(),
  );
}
