import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { diff } from '../../platform/events/emit.js';
import { findNamedForUpdate, isUpdated } from '../custom-fields/named-record.service.js';
import { PRODUCT } from '../custom-fields/named-records.js';
import { emit } from '../events.js';
import {
  attachProductWhitelist,
  detachProductWhitelist,
  whitelistNamesOf,
} from './product-whitelist.repository.js';
import { existingWhitelist } from './whitelist.repository.js';

/** The names of the product's whitelists afterwards. Attaching what is attached changes nothing. */
export async function attachWhitelist(
  em: EntityManager,
  ctx: ActionContext,
  whitelistName: string,
  productName: string,
): Promise<string[]> {
  return changeAttachment(em, ctx, whitelistName, productName, attachProductWhitelist);
}

/** The names of the product's whitelists afterwards. Values that licenses hold stay. */
export async function detachWhitelist(
  em: EntityManager,
  ctx: ActionContext,
  whitelistName: string,
  productName: string,
): Promise<string[]> {
  return changeAttachment(em, ctx, whitelistName, productName, detachProductWhitelist);
}

async function changeAttachment(
  em: EntityManager,
  ctx: ActionContext,
  whitelistName: string,
  productName: string,
  change: (em: EntityManager, productId: number, whitelistId: number) => Promise<void>,
): Promise<string[]> {
  const product = await findNamedForUpdate(em, PRODUCT, productName);
  const whitelist = await existingWhitelist(em, whitelistName);
  const namesOf = async () => (await whitelistNamesOf(em, [product.id])).get(product.id) ?? [];
  const before = await namesOf();
  await change(em, product.id, whitelist.id);
  const after = await namesOf();
  const changes = diff({ whitelists: before }, { whitelists: after });
  if (await isUpdated(em, ctx, product, changes)) {
    await emit(em, ctx, 'product.updated', { resource: { type: 'product', id: productName }, changes });
  }
  return after;
}
