import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { findPage } from '../../platform/db/page.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import { Rule } from './rule.entity.js';
import type { RuleAction, RuleType } from './rule.entity.js';

export interface RuleFilter {
  readonly name?: string | null;
  readonly type?: RuleType | null;
  readonly action?: RuleAction | null;
  readonly global?: boolean | null;
  /** Attached to the product of this name; global rules are not, though they hold for it. */
  readonly product?: string | null;
}

export async function findRules(
  em: EntityManager,
  filter: RuleFilter,
  request: PageRequest,
): Promise<RowPage<Rule>> {
  const all: FilterQuery<Rule>[] = [];
  if (filter.name != null) all.push({ name: filter.name });
  if (filter.type != null) all.push({ type: filter.type });
  if (filter.action != null) all.push({ action: filter.action });
  if (filter.global != null) all.push({ global: filter.global });
  if (filter.product != null) all.push({ id: { $in: await ruleIdsOfProduct(em, filter.product) } });
  return findPage(em, Rule, { $and: all }, request);
}

async function ruleIdsOfProduct(em: EntityManager, product: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select pr.rule_id as id from product_rule pr join product p on p.id = pr.product_id
     where p.name = ${product}`.execute(em.getKysely());
  return rows.map(({ id }) => id);
}
