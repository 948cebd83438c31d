import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { diff } from '../../platform/events/emit.js';
import { namedRecordData } from '../custom-fields/named-record-data.service.js';
import { ADDON } from '../custom-fields/named-records.js';
import {
  changeNamed,
  createNamed,
  findNamedForUpdate,
  isUpdated,
  namedView,
} from '../custom-fields/named-record.service.js';
import type { NamedChange, NamedInput } from '../custom-fields/named-record.service.js';
import { emit } from '../events.js';
import { releaseFiles } from '../files/file-release.service.js';
import { releaseAddon } from '../licenses/license-release.service.js';
import { releaseMappings } from '../marketplace/mapping-release.service.js';
import {
  attachToProduct,
  detachFromProduct,
  removeDetached,
} from '../products/product-attachment.service.js';
import type { Addon } from './addon.entity.js';

export async function createAddon(em: EntityManager, ctx: ActionContext, input: NamedInput): Promise<Addon> {
  const addon = await createNamed(em, ctx, ADDON, input);
  await emit(em, ctx, 'addon.created', {
    resource: refOf(addon),
    changes: diff({}, namedView(addon)),
    data: () => dataOf(em, addon),
  });
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
    await emit(em, ctx, 'addon.updated', { resource: refOf(addon), changes, data: () => dataOf(em, addon) });
  }
  return addon;
}

/**
 * An addon that licenses hold, files need or marketplace mappings give is `IN_USE`, unless `force`, which takes it from
 * licenses and mappings and leaves the files so that they can't be issued. Products lose it either way.
 */
export async function deleteAddon(
  em: EntityManager,
  ctx: ActionContext,
  name: string,
  options: { readonly force: boolean },
): Promise<void> {
  const addon = await findNamedForUpdate(em, ADDON, name);
  await releaseAddon(em, ctx, addon, options);
  await releaseFiles(em, ctx, { record: 'addon', id: addon.id, name }, options);
  await releaseMappings(em, ctx, { kind: 'addon', id: addon.id, name }, options);
  const last = { resource: refOf(addon), data: await dataOf(em, addon) };
  await removeDetached(em, ctx, 'addon', addon);
  await emit(em, ctx, 'addon.deleted', last);
}

/** The names of the product's addons afterwards. Attaching what is attached changes nothing. */
export async function attachAddon(
  em: EntityManager,
  ctx: ActionContext,
  addonName: string,
  productName: string,
): Promise<string[]> {
  return attachToProduct(em, ctx, 'addon', productName, () => findNamedForUpdate(em, ADDON, addonName));
}

/** The names of the product's addons afterwards. */
export async function detachAddon(
  em: EntityManager,
  ctx: ActionContext,
  addonName: string,
  productName: string,
): Promise<string[]> {
  return detachFromProduct(em, ctx, 'addon', productName, () => findNamedForUpdate(em, ADDON, addonName));
}

function dataOf(em: EntityManager, addon: Addon) {
  return namedRecordData(em, ADDON, addon);
}

function refOf(addon: Addon) {
  return { type: 'addon', id: addon.name };
}
