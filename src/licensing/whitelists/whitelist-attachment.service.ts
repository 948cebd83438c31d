import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { attachToProduct, detachFromProduct } from '../products/product-attachment.service.js';
import { existingWhitelist } from './whitelist.repository.js';

/** The names of the product's whitelists afterwards. Attaching what is attached changes nothing. */
export async function attachWhitelist(
  em: EntityManager,
  ctx: ActionContext,
  whitelistName: string,
  productName: string,
): Promise<string[]> {
  return attachToProduct(em, ctx, 'whitelist', productName, () => existingWhitelist(em, whitelistName));
}

/** The names of the product's whitelists afterwards. Values that licenses hold stay. */
export async function detachWhitelist(
  em: EntityManager,
  ctx: ActionContext,
  whitelistName: string,
  productName: string,
): Promise<string[]> {
  return detachFromProduct(em, ctx, 'whitelist', productName, () => existingWhitelist(em, whitelistName));
}
