import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { dataTogether, diff } from '../../platform/events/emit.js';
import { findNamedForUpdate, isUpdated } from '../custom-fields/named-record.service.js';
import { PRODUCT } from '../custom-fields/named-records.js';
import { emit, emitMany } from '../events.js';
import {
  ATTACHMENTS,
  attach,
  attachedNames,
  detach,
  lockProductsWith,
} from './product-attachment.repository.js';
import type { AttachmentKind } from './product-attachment.repository.js';
import { productData, productsData } from './product-data.service.js';

/** What is attached or detached: found after the product is locked, so that all changes lock in one order. */
type FindMember = () => Promise<{ readonly id: number }>;

/** The names of what is attached to the product afterwards. Attaching what is attached changes nothing. */
export function attachToProduct(
  em: EntityManager,
  ctx: ActionContext,
  kind: AttachmentKind,
  productName: string,
  find: FindMember,
): Promise<string[]> {
  return change(em, ctx, kind, productName, find, attach);
}

/** The names of what is attached to the product afterwards. */
export function detachFromProduct(
  em: EntityManager,
  ctx: ActionContext,
  kind: AttachmentKind,
  productName: string,
  find: FindMember,
): Promise<string[]> {
  return change(em, ctx, kind, productName, find, detach);
}

async function change(
  em: EntityManager,
  ctx: ActionContext,
  kind: AttachmentKind,
  productName: string,
  find: FindMember,
  apply: typeof attach,
): Promise<string[]> {
  const product = await findNamedForUpdate(em, PRODUCT, productName);
  const { id } = await find();
  const names = async () => (await attachedNames(em, kind, [product.id])).get(product.id) ?? [];
  const before = await names();
  await apply(em, kind, product.id, id);
  const after = await names();
  const { list } = ATTACHMENTS[kind];
  const changes = diff({ [list]: before }, { [list]: after });
  if (await isUpdated(em, ctx, product, changes)) {
    await emit(em, ctx, 'product.updated', {
      resource: { type: 'product', id: productName },
      changes,
      data: () => productData(em, product),
    });
  }
  return after;
}

/** A record that products can have attached, as the ORM holds it. */
interface Attachable {
  readonly id: number;
  readonly name: string;
}

/**
 * Removes what may be attached to products, and tells which of them lose it. The foreign key detaches it by itself, but
 * products change by it, and that is an event of theirs.
 */
export async function removeDetached(
  em: EntityManager,
  ctx: ActionContext,
  kind: AttachmentKind,
  member: Attachable,
): Promise<void> {
  const { list } = ATTACHMENTS[kind];
  const products = await lockProductsWith(em, kind, member.id);
  em.remove(member);
  await em.flush();
  const dataOf = dataTogether(() =>
    productsData(
      em,
      products.map(({ id }) => id),
    ),
  );
  const emissions = products.map(({ id, name, attached }) => ({
    resource: { type: 'product', id: name },
    changes: diff({ [list]: attached }, { [list]: attached.filter((other) => other !== member.name) }),
    data: dataOf(id),
  }));
  await emitMany(em, ctx, 'product.updated', emissions);
}
