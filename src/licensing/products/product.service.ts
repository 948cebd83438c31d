import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { InvalidField } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import { ADDON, PRODUCT } from '../custom-fields/named-records.js';
import {
  changeNamed,
  createNamed,
  findNamedForUpdate,
  idsByName,
  isUpdated,
  namedView,
} from '../custom-fields/named-record.service.js';
import type { NamedChange, NamedInput } from '../custom-fields/named-record.service.js';
import { emit } from '../events.js';
import { releaseFiles } from '../files/file-release.service.js';
import { releaseLicenses } from '../licenses/license-release.service.js';
import { releaseMappings } from '../marketplace/mapping-release.service.js';
import { whitelistIds } from '../whitelists/whitelist.repository.js';
import type { Product } from './product.entity.js';
import { attachedNames, replaceAttached } from './product-attachment.repository.js';
import { productData } from './product-data.service.js';

interface ProductFields {
  readonly addons?: readonly string[] | null;
  readonly whitelists?: readonly string[] | null;
  /** Seconds, 60–86 400; null: the server's default. */
  readonly sessionTtl?: number | null;
}

export type ProductInput = NamedInput & ProductFields;
export type ProductChange = NamedChange & ProductFields;

export async function createProduct(
  em: EntityManager,
  ctx: ActionContext,
  input: ProductInput,
): Promise<Product> {
  const sessionTtl = checkSessionTtl(input.sessionTtl ?? null);
  const product = await createNamed(em, ctx, PRODUCT, input, { sessionTtl });
  await setLists(em, product, input);
  await emit(em, ctx, 'product.created', {
    resource: refOf(product),
    changes: diff({}, await viewOf(em, product)),
    data: () => productData(em, product),
  });
  return product;
}

/** Changes what was sent; `addons` and `whitelists` are replaced as a whole. */
export async function updateProduct(
  em: EntityManager,
  ctx: ActionContext,
  name: string,
  change: ProductChange,
): Promise<Product> {
  const product = await findNamedForUpdate(em, PRODUCT, name);
  const before = await viewOf(em, product);
  if (change.sessionTtl !== undefined) product.sessionTtl = checkSessionTtl(change.sessionTtl);
  await changeNamed(em, PRODUCT, product, change);
  await setLists(em, product, change);
  const changes = diff(before, await viewOf(em, product));
  if (await isUpdated(em, ctx, product, changes)) {
    await emit(em, ctx, 'product.updated', {
      resource: refOf(product),
      changes,
      data: () => productData(em, product),
    });
  }
  return product;
}

/**
 * A product that licenses, files or marketplace mappings refer to is `IN_USE`, unless `force`, which unlinks them: the
 * licenses are suspended, the files can't be issued, the mappings are deleted.
 */
export async function deleteProduct(
  em: EntityManager,
  ctx: ActionContext,
  name: string,
  options: { readonly force: boolean },
): Promise<void> {
  const product = await findNamedForUpdate(em, PRODUCT, name);
  await releaseLicenses(
    em,
    ctx,
    { column: 'product_id', record: PRODUCT.kind, id: product.id, name },
    options,
  );
  await releaseFiles(em, ctx, { record: 'product', id: product.id, name }, options);
  await releaseMappings(em, ctx, { kind: 'product', id: product.id, name }, options);
  await emit(em, ctx, 'product.deleted', { resource: refOf(product), data: () => productData(em, product) });
  em.remove(product);
  await em.flush();
}

async function setLists(
  em: EntityManager,
  product: Product,
  { addons, whitelists }: ProductFields,
): Promise<void> {
  if (addons != null)
    await replaceAttached(em, 'addon', product.id, await idsByName(em, ADDON, addons, 'addons'));
  if (whitelists != null)
    await replaceAttached(em, 'whitelist', product.id, await whitelistIds(em, whitelists, 'whitelists'));
}

function checkSessionTtl(seconds: number | null): number | null {
  if (seconds === null || (seconds >= 60 && seconds <= 86_400)) return seconds;
  throw new InvalidField('sessionTtl', `must be between 60 and 86400 seconds; got ${seconds}`);
}

async function viewOf(em: EntityManager, product: Product): Promise<Record<string, unknown>> {
  const addons = await attachedNames(em, 'addon', [product.id]);
  const whitelists = await attachedNames(em, 'whitelist', [product.id]);
  return {
    ...namedView(product),
    session_ttl: product.sessionTtl,
    addons: addons.get(product.id) ?? [],
    whitelists: whitelists.get(product.id) ?? [],
  };
}

function refOf(product: Product) {
  return { type: 'product', id: product.name };
}
