import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';
import { failure } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import { ADDON, PRODUCT } from '../custom-fields/named-records.js';
import {
  changeNamed,
  createNamed,
  findNamedForUpdate,
  namedView,
} from '../custom-fields/named-record.service.js';
import type { NamedChange, NamedInput } from '../custom-fields/named-record.service.js';
import { emit } from '../events.js';
import { addonNamesOf, attachProductAddon, detachProductAddon } from '../products/product.repository.js';
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
  await changeNamed(em, ctx, ADDON, addon, change);
  await emit(em, ctx, 'addon.updated', { resource: refOf(addon), changes: diff(before, namedView(addon)) });
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
  if (options.force) {
    await sql`delete from license_addon where addon_id = ${addon.id}`.execute(em.getKysely());
  } else {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from license_addon where addon_id = ${addon.id}`.execute(
      em.getKysely(),
    );
    const count = rows[0]?.count ?? 0;
    if (count > 0)
      throw failure('IN_USE', `${count} licenses hold the addon "${name}"; "force": true takes it from them`);
  }
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

function refOf(addon: Addon) {
  return { type: 'addon', id: addon.name };
}
