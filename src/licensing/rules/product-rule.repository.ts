import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** The names of the rules attached to each product, in alphabetical order; one statement for any number. */
export async function ruleNamesOf(
  em: EntityManager,
  productIds: readonly number[],
): Promise<Map<number, string[]>> {
  const { rows } = await sql<{ product_id: number; names: string[] }>`
    select pr.product_id, array_agg(r.name order by r.name) as names
      from product_rule pr join rule r on r.id = pr.rule_id
     where pr.product_id = any(${productIds})
     group by pr.product_id`.execute(em.getKysely());
  return new Map(rows.map((row) => [row.product_id, row.names]));
}

/** The names of the products each rule is attached to, in alphabetical order; one statement for any number. */
export async function productNamesOf(
  em: EntityManager,
  ruleIds: readonly number[],
): Promise<Map<number, string[]>> {
  const { rows } = await sql<{ rule_id: number; names: string[] }>`
    select pr.rule_id, array_agg(p.name order by p.name) as names
      from product_rule pr join product p on p.id = pr.product_id
     where pr.rule_id = any(${ruleIds})
     group by pr.rule_id`.execute(em.getKysely());
  return new Map(rows.map((row) => [row.rule_id, row.names]));
}

/** The products that have the rule, each with the names of all its rules; locked against changes at once. */
export async function productsWithRule(
  em: EntityManager,
  ruleId: number,
): Promise<{ name: string; rules: string[] }[]> {
  const { rows } = await sql<{ name: string; rules: string[] }>`
    select p.name, array(select r.name from product_rule pr join rule r on r.id = pr.rule_id
                          where pr.product_id = p.id order by r.name) as rules
      from product p
     where exists (select from product_rule pr where pr.product_id = p.id and pr.rule_id = ${ruleId})
     order by p.id for update of p`.execute(em.getKysely());
  return rows;
}

/** Attaches the rule; nothing happens when it is attached already. */
export async function attachProductRule(em: EntityManager, productId: number, ruleId: number): Promise<void> {
  await sql`
    insert into product_rule (product_id, rule_id) values (${productId}, ${ruleId})
    on conflict do nothing`.execute(em.getKysely());
}

/** Detaches the rule; nothing happens when it is not attached. */
export async function detachProductRule(em: EntityManager, productId: number, ruleId: number): Promise<void> {
  await sql`
    delete from product_rule where product_id = ${productId} and rule_id = ${ruleId}`.execute(em.getKysely());
}
