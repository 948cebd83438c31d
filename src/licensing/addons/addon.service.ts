import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { diff } from '../../platform/events/emit.js';
import { ADDON, PRODUCT } from '../custom-fields/named-records.js';
import {
  changeNamed,
  createNamed,
  findNamedForUpdate,
  isUpdated,
  namedView,
} from '../custom-fields/named-record.service.js';
import type { NamedChange, NamedInput } from '../custom-fields/named-record.service.js';
import { emit, emitMany } from '../events.js';
import { releaseAddon } from '../licenses/license-release.service.js';
import {
  addonNamesOf,
  attachProductAddon,
  detachProductAddon,
  productsWithAddon,
} from '../products/product.repository.js';
import type { Addon } from './addon.entity.js';

export async function createAddon(em: EntityManager, ctx: ActionContext, input: NamedInput): Promise<Addon> {
  const addon = await createNamed(em, ctx, ADDON, input);
  await emit(em, ctx, 'addon.created', { resource: refOf(addon), changes: diff({}, namedView(addon)) });
  return addon;
}

export async function updateAddon(
  em: EntityManager,
  ctx: ActionContext,
  name: string,
  change: NamedChange,
): Promise<Addon> {
  const addon = await findNamedForUpdate(em, ADDON, name);
  const before = namedView(addon);
  await changeNamed(em, ADDON, addon, change);
  const changes = diff(before, namedView(addon));
  if (await isUpdated(em, ctx, addon, changes)) {
    await emit(em, ctx, 'addon.updated', { resource: refOf(addon), changes });
  }
  return addon;
}

/** An addon that licenses hold is `IN_USE`, unless `force`, which takes it from them. Products lose it either way. */
export async function deleteAddon(
  em: EntityManager,
  ctx: ActionContext,
  name: string,
  options: { readonly force: boolean },
): Promise<void> {
  const addon = await findNamedForUpdate(em, ADDON, name);
  await releaseAddon(em, ctx, addon, options);
  await detachFromAll(em, ctx, addon);
  em.remove(addon);
  await em.flush();
  await emit(em, ctx, 'addon.deleted', { resource: { type: 'addon', id: name } });
}

/** The names of the product's addons afterwards. Attaching what is attached changes nothing. */
export async function attachAddon(
  em: EntityManager,
  ctx: ActionContext,
  addonName: string,
  productName: string,
): Promise<string[]> {
  return changeAttachment(em, ctx, addonName, productName, attachProductAddon);
}

/** The names of the product's addons afterwards. */
export async function detachAddon(
  em: EntityManager,
  ctx: ActionContext,
  addonName: string,
  productName: string,
): Promise<string[]> {
  return changeAttachment(em, ctx, addonName, productName, detachProductAddon);
}

async function changeAttachment(
  em: EntityManager,
  ctx: ActionContext,
  addonName: string,
  productName: string,
  change: (em: EntityManager, productId: number, addonId: number) => Promise<boolean>,
): Promise<string[]> {
  const product = await findNamedForUpdate(em, PRODUCT, productName);
  const addon = await findNamedForUpdate(em, ADDON, addonName);
  const before = (await addonNamesOf(em, [product.id])).get(product.id) ?? [];
  const isChanged = await change(em, product.id, addon.id);
  const after = (await addonNamesOf(em, [product.id])).get(product.id) ?? [];
  if (isChanged) {
    const changes = diff({ addons: before }, { addons: after });
    await emit(em, ctx, 'product.updated', { resource: { type: 'product', id: productName }, changes });
  }
  return after;
}

/** The foreign key detaches it by itself, but products change by it, and that is an event of theirs. */
async function detachFromAll(em: EntityManager, ctx: ActionContext, addon: Addon): Promise<void> {
  const products = await productsWithAddon(em, addon.id);
  const emissions = products.map(({ name, addons }) => ({
    resource: { type: 'product', id: name },
    changes: diff({ addons }, { addons: addons.filter((other) => other !== addon.name) }),
  }));
  await emitMany(em, ctx, 'product.updated', emissions);
}

function refOf(addon: Addon) {
  return { type: 'addon', id: addon.name };
}
