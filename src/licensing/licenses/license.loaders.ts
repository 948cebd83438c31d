import { byId } from '../../platform/db/by-id.js';
import type { RowOf } from '../../platform/db/rows.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { Addon } from '../addons/addon.entity.js';
import { customerById } from '../customers/customer.loaders.js';
import { productById } from '../products/product.loaders.js';
import { userById } from '../users/user.loaders.js';
import type { License } from './license.entity.js';
import { addonsOf } from './license.repository.js';

export const addonById = byId(Addon);

/** What of a license says what it belongs to: of an entity as well as of a row. */
type Belonging = Pick<RowOf<License>, 'id' | 'product' | 'customer' | 'user'>;
export type Licenses = readonly Belonging[];

export function productsOfLicenses(ctx: RequestContext, licenses: Licenses) {
  return ctx.loadAll(
    productById,
    licenses.map(({ product }) => product?.id),
  );
}

export function customersOfLicenses(ctx: RequestContext, licenses: Licenses) {
  return ctx.loadAll(
    customerById,
    licenses.map(({ customer }) => customer?.id),
  );
}

export function usersOfLicenses(ctx: RequestContext, licenses: Licenses) {
  return ctx.loadAll(
    userById,
    licenses.map(({ user }) => user?.id),
  );
}

export async function addonsOfLicenses(ctx: RequestContext, licenses: Licenses) {
  const held = await addonsOf(
    ctx.em,
    licenses.map(({ id }) => id),
  );
  return licenses.map(({ id }) => held.get(id) ?? []);
}
