import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** What can be attached to a product: its table, the table of the links, and what the product calls the list. */
export const ATTACHMENTS = {
  addon: { table: 'addon', links: 'product_addon', member: 'addon_id', list: 'addons' },
  rule: { table: 'rule', links: 'product_rule', member: 'rule_id', list: 'rules' },
  whitelist: { table: 'whitelist', links: 'product_whitelist', member: 'whitelist_id', list: 'whitelists' },
} as const;

export type AttachmentKind = keyof typeof ATTACHMENTS;

/** What is attached to each product, by name; one statement for any number of products. */
export async function attachedNames(
  em: EntityManager,
  kind: AttachmentKind,
  productIds: readonly number[],
): Promise<Map<number, string[]>> {
  const { table, links, member } = refsOf(kind);
  const { rows } = await sql<{ product_id: number; names: string[] }>`
    select link.product_id, array_agg(attached.name order by attached.name) as names
      from ${links} link join ${table} attached on attached.id = link.${member}
     where link.product_id = any(${productIds})
     group by link.product_id`.execute(em.getKysely());
  return new Map(rows.map((row) => [row.product_id, row.names]));
}

/** The names of the products each is attached to, in alphabetical order; one statement for any number. */
export async function namesOfProductsWith(
  em: EntityManager,
  kind: AttachmentKind,
  memberIds: readonly number[],
): Promise<Map<number, string[]>> {
  const { links, member } = refsOf(kind);
  const { rows } = await sql<{ member_id: number; names: string[] }>`
    select link.${member} as member_id, array_agg(p.name order by p.name) as names
      from ${links} link join product p on p.id = link.product_id
     where link.${member} = any(${memberIds})
     group by link.${member}`.execute(em.getKysely());
  return new Map(rows.map((row) => [row.member_id, row.names]));
}

/** The products it is attached to, each with all that is attached to it; locked against changes at once. */
export async function lockProductsWith(
  em: EntityManager,
  kind: AttachmentKind,
  memberId: number,
): Promise<{ id: number; name: string; attached: string[] }[]> {
  const { table, links, member } = refsOf(kind);
  const { rows } = await sql<{ id: number; name: string; attached: string[] }>`
    select p.id, p.name, array(select attached.name from ${links} link join ${table} attached on attached.id = link.${member}
                          where link.product_id = p.id order by attached.name) as attached
      from product p
     where exists (select from ${links} link where link.product_id = p.id and link.${member} = ${memberId})
     order by p.id for update of p`.execute(em.getKysely());
  return rows;
}

/** Makes exactly these the product's. */
export async function replaceAttached(
  em: EntityManager,
  kind: AttachmentKind,
  productId: number,
  memberIds: readonly number[],
): Promise<void> {
  const { links, member } = refsOf(kind);
  const db = em.getKysely();
  await sql`delete from ${links} where product_id = ${productId} and ${member} <> all(${memberIds})`.execute(
    db,
  );
  await sql`
    insert into ${links} (product_id, ${member}) select ${productId}, unnest(${memberIds}::integer[])
    on conflict do nothing`.execute(db);
}

/** Attaches it; nothing happens when it is attached already. */
export async function attach(
  em: EntityManager,
  kind: AttachmentKind,
  productId: number,
  memberId: number,
): Promise<void> {
  const { links, member } = refsOf(kind);
  await sql`
    insert into ${links} (product_id, ${member}) values (${productId}, ${memberId})
    on conflict do nothing`.execute(em.getKysely());
}

/** Detaches it; nothing happens when it is not attached. */
export async function detach(
  em: EntityManager,
  kind: AttachmentKind,
  productId: number,
  memberId: number,
): Promise<void> {
  const { links, member } = refsOf(kind);
  await sql`delete from ${links} where product_id = ${productId} and ${member} = ${memberId}`.execute(
    em.getKysely(),
  );
}

function refsOf(kind: AttachmentKind) {
  const { table, links, member } = ATTACHMENTS[kind];
  return { table: sql.table(table), links: sql.table(links), member: sql.ref(member) };
}
