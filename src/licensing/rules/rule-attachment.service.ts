import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { attachToProduct, detachFromProduct } from '../products/product-attachment.service.js';
import { findRuleForUpdate } from './rule.service.js';

/** The names of the product's rules afterwards. Attaching what is attached changes nothing. */
export async function attachRule(
  em: EntityManager,
  ctx: ActionContext,
  ruleName: string,
  productName: string,
): Promise<string[]> {
  return attachToProduct(em, ctx, 'rule', productName, () => findRuleForUpdate(em, ruleName));
}

/** The names of the product's rules afterwards. */
export async function detachRule(
  em: EntityManager,
  ctx: ActionContext,
  ruleName: string,
  productName: string,
): Promise<string[]> {
  return detachFromProduct(em, ctx, 'rule', productName, () => findRuleForUpdate(em, ruleName));
}
