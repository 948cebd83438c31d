import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { diff } from '../../platform/events/emit.js';
import { findNamedForUpdate, isUpdated } from '../custom-fields/named-record.service.js';
import { PRODUCT } from '../custom-fields/named-records.js';
import { emit } from '../events.js';
import { attachProductRule, detachProductRule, ruleNamesOf } from './product-rule.repository.js';
import { findRuleForUpdate } from './rule.service.js';

/** The names of the product's rules afterwards. Attaching what is attached changes nothing. */
export async function attachRule(
  em: EntityManager,
  ctx: ActionContext,
  ruleName: string,
  productName: string,
): Promise<string[]> {
  return changeAttachment(em, ctx, ruleName, productName, attachProductRule);
}

/** The names of the product's rules afterwards. */
export async function detachRule(
  em: EntityManager,
  ctx: ActionContext,
  ruleName: string,
  productName: string,
): Promise<string[]> {
  return changeAttachment(em, ctx, ruleName, productName, detachProductRule);
}

async function changeAttachment(
  em: EntityManager,
  ctx: ActionContext,
  ruleName: string,
  productName: string,
  change: (em: EntityManager, productId: number, ruleId: number) => Promise<void>,
): Promise<string[]> {
  const product = await findNamedForUpdate(em, PRODUCT, productName);
  const rule = await findRuleForUpdate(em, ruleName);
  const namesOf = async () => (await ruleNamesOf(em, [product.id])).get(product.id) ?? [];
  const before = await namesOf();
  await change(em, product.id, rule.id);
  const after = await namesOf();
  const changes = diff({ rules: before }, { rules: after });
  if (await isUpdated(em, ctx, product, changes)) {
    await emit(em, ctx, 'product.updated', { resource: { type: 'product', id: productName }, changes });
  }
  return after;
}
