import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { findPage } from '../../platform/db/page.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import { Mapping } from './mapping.entity.js';

export interface MappingFilter {
  readonly marketplace?: string | null;
  readonly resourceId?: string | null;
  /** Name of the product. */
  readonly product?: string | null;
}

export function findMappings(
  em: EntityManager,
  filter: MappingFilter,
  request: PageRequest,
): Promise<RowPage<Mapping>> {
  const all: FilterQuery<Mapping>[] = [];
  if (filter.marketplace != null) all.push({ marketplace: filter.marketplace });
  if (filter.resourceId != null) all.push({ resourceId: filter.resourceId });
  if (filter.product != null) all.push({ product: { name: filter.product } });
  return findPage(em, Mapping, { $and: all }, request);
}

/** The names of the addons of each mapping; one statement for any number. */
export async function addonNamesOf(
  em: EntityManager,
  ids: readonly number[],
): Promise<Map<number, string[]>> {
  const { rows } = await sql<{ id: number; names: string[] }>`
    select ma.mapping_id as id, array_agg(a.name order by a.name) as names
      from marketplace_mapping_addon ma join addon a on a.id = ma.addon_id
     where ma.mapping_id = any(${ids}) group by ma.mapping_id`.execute(em.getKysely());
  return new Map(rows.map(({ id, names }) => [id, names]));
}

/** Makes exactly these addons the mapping's. */
export async function replaceMappingAddons(
  em: EntityManager,
  mappingId: number,
  addonIds: readonly number[],
): Promise<void> {
  const db = em.getKysely();
  await sql`delete from marketplace_mapping_addon where mapping_id = ${mappingId}`.execute(db);
  await sql`
    insert into marketplace_mapping_addon (mapping_id, addon_id)
      select ${mappingId}, unnest(${addonIds}::integer[])`.execute(db);
}

/** The ids of the mappings that refer to a product or an addon. */
export async function mappingIdsReferringTo(
  em: EntityManager,
  { kind, id }: { readonly kind: 'product' | 'addon'; readonly id: number },
): Promise<number[]> {
  const db = em.getKysely();
  const { rows } =
    kind === 'product'
      ? await sql<{ id: number }>`
          select id from marketplace_mapping where product_id = ${id} order by id for update`.execute(db)
      : await sql<{ id: number }>`
          select m.id from marketplace_mapping m join marketplace_mapping_addon ma on ma.mapping_id = m.id
           where ma.addon_id = ${id} order by m.id for update of m`.execute(db);
  return rows.map((row) => row.id);
}
