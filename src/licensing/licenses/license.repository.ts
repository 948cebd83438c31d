import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { idArray } from '../../platform/db/id-array.js';
import { findPage } from '../../platform/db/page.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import { rowFrom } from '../../platform/db/rows.js';
import type { RowOf } from '../../platform/db/rows.js';
import { Addon } from '../addons/addon.entity.js';
import { reachedUserIds } from '../users/user.repository.js';
import { containing } from '../custom-fields/named-record.repository.js';
import type { CustomValue } from '../custom-fields/named-record.repository.js';
import { License } from './license.entity.js';
import type { LicenseStatus } from './license.entity.js';
import { lookupOf } from './license-key.rules.js';
import { searchCondition } from './license-search.repository.js';
import { ownWhitelistsOf } from './whitelists/license-whitelist.repository.js';

/** The addons of each license, by name; one statement for any number. */
export async function addonsOf(
  em: EntityManager,
  licenseIds: readonly number[],
): Promise<Map<number, RowOf<Addon>[]>> {
  const { rows } = await sql<{ license_id: number; id: number }>`
    select la.license_id, a.* from license_addon la join addon a on a.id = la.addon_id
     where la.license_id = any(${idArray(licenseIds)})
     order by a.name`.execute(em.getKysely());
  const addons = new Map<number, RowOf<Addon>>();
  const held = new Map<number, RowOf<Addon>[]>();
  for (const { license_id: licenseId, ...columns } of rows) {
    const addon = addons.get(columns.id) ?? rowFrom(em, Addon, columns);
    addons.set(addon.id, addon);
    const list = held.get(licenseId);
    if (list) list.push(addon);
    else held.set(licenseId, [addon]);
  }
  return held;
}

/** Makes exactly these addons the license's. */
export async function replaceLicenseAddons(
  em: EntityManager,
  licenseId: number,
  addonIds: readonly number[],
): Promise<void> {
  const db = em.getKysely();
  await sql`delete from license_addon where license_id = ${licenseId} and addon_id <> all(${addonIds})`.execute(
    db,
  );
  await sql`
    insert into license_addon (license_id, addon_id) select ${licenseId}, unnest(${addonIds}::integer[])
    on conflict do nothing`.execute(db);
}

/** What the activity log compares: the license as an administrator sees it, with its whole key. */
export async function licenseView(em: EntityManager, licenseId: number): Promise<Record<string, unknown>> {
  const { rows } = await sql<Record<string, unknown>>`
    select l.key, p.name as product, c.name as customer, u.user_id, l.status, l.seats, l.note,
           to_char(l.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at,
           array(select a.name from license_addon la join addon a on a.id = la.addon_id
                  where la.license_id = l.id order by a.name) as addons
      from license l left join product p on p.id = l.product_id left join customer c on c.id = l.customer_id
           left join app_user u on u.id = l.user_id
     where l.id = ${licenseId}`.execute(em.getKysely());
  return { ...rows[0], whitelists: await ownWhitelistsOf(em, licenseId) };
}

export interface LicenseFilter {
  readonly key?: string | null;
  readonly search?: string | null;
  readonly productCustom?: readonly CustomValue[] | null;
  readonly customerCustom?: readonly CustomValue[] | null;
  readonly product?: string | null;
  readonly customer?: string | null;
  /** Public id; a merged one leads to its user. */
  readonly user?: string | null;
  readonly addon?: string | null;
  readonly status?: LicenseStatus | null;
  readonly expiresAfter?: Date | null;
  readonly expiresBefore?: Date | null;
  readonly neverExpires?: boolean | null;
}

export async function findLicenses(
  em: EntityManager,
  filter: LicenseFilter,
  request: PageRequest,
): Promise<RowPage<License>> {
  const all: FilterQuery<License>[] = [];
  if (filter.key != null) all.push({ lookup: lookupOf(filter.key) });
  if (filter.search != null) all.push(searchCondition(filter.search));
  if (filter.product != null) all.push({ product: { name: filter.product } });
  if (filter.customer != null) all.push({ customer: { name: filter.customer } });
  if (filter.user != null) all.push({ user: { $in: await reachedUserIds(em, [filter.user]) } });
  for (const value of filter.productCustom ?? []) all.push({ product: { custom: containing(value) } });
  for (const value of filter.customerCustom ?? []) all.push({ customer: { custom: containing(value) } });
  if (filter.addon != null) all.push({ addons: { $some: { name: filter.addon } } });
  if (filter.status != null) all.push({ status: filter.status });
  if (filter.expiresAfter != null) all.push({ expiresAt: { $gt: filter.expiresAfter } });
  if (filter.expiresBefore != null) all.push({ expiresAt: { $lt: filter.expiresBefore } });
  if (filter.neverExpires != null) all.push({ expiresAt: filter.neverExpires ? null : { $ne: null } });
  return findPage(em, License, { $and: all }, request);
}
