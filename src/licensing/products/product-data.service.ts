import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventData } from '../../platform/events/emit.js';
import { shownCustomValues } from '../custom-fields/custom-field.rules.js';
import { listCustomFields } from '../custom-fields/custom-field.service.js';
import { attachedNames } from './product-attachment.repository.js';
import { Product } from './product.entity.js';

/** A product as REST returns it, for events. */
export async function productData(em: EntityManager, { id }: { readonly id: number }): Promise<EventData> {
  const data = (await productsData(em, [id])).get(id);
  if (!data) throw new Error(`There is no product ${id} to announce`);
  return data;
}

/** Products as REST returns them, by id; four statements for any number. */
export async function productsData(
  em: EntityManager,
  ids: readonly number[],
): Promise<Map<number, EventData>> {
  const products = await em.find(Product, { id: { $in: [...ids] } });
  const fields = await listCustomFields(em, 'product');
  const addons = await attachedNames(em, 'addon', ids);
  const whitelists = await attachedNames(em, 'whitelist', ids);
  return new Map(
    products.map(({ id, name, sessionTtl, custom, createdAt, updatedAt }) => [
      id,
      {
        ...{ id, name, addons: addons.get(id) ?? [], whitelists: whitelists.get(id) ?? [] },
        ...{ session_ttl: sessionTtl, createdAt, updatedAt, ...shownCustomValues(fields, custom) },
      },
    ]),
  );
}
