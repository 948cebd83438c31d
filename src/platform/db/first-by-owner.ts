import type { EntityClass, EntityManager } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import { sql } from 'kysely';
import { InvalidField } from '../errors.js';
import { PAGE_DEFAULT, PAGE_MAX } from './page.js';
import { findRowsById } from './rows.js';
import type { RowOf } from './rows.js';

/** The first rows of one owner: `first` is 1–500, 50 when absent. */
export interface FirstOf {
  readonly id: number;
  readonly first?: number | null | undefined;
}

/**
 * Loads the first rows that refer to each of many owners, in id order: `ctx.load(licensesByUser, { id: 7, first: 10 })`.
 * Two statements for any number of owners, and never more rows than were asked for, however many an owner has.
 */
export function firstByOwner<T extends { id: number }>(entity: EntityClass<T>, owner: keyof T & string) {
  return ({ em }: { readonly em: EntityManager }) =>
    new DataLoader<FirstOf, RowOf<T>[], string>(
      async (keys) => {
        const rowIds = new Map<string, number[]>();
        for (const [first, asked] of Map.groupBy(keys, firstOf)) {
          const ids = asked.map(({ id }) => id);
          for (const row of await firstIds(em, entity, owner, ids, first)) {
            rowIds.set(keyOf({ id: row.owner, first }), row.ids);
          }
        }
        const ids = [...rowIds.values()].flat();
        const found = ids.length === 0 ? undefined : await findRowsById(em, new Map([[entity, ids]]));
        const byId = (found?.get(entity) ?? new Map()) as ReadonlyMap<number, RowOf<T>>;
        return keys.map((key) => (rowIds.get(keyOf(key)) ?? []).flatMap((id) => byId.get(id) ?? []));
      },
      { cacheKeyFn: keyOf },
    );
}

function firstOf({ first }: FirstOf): number {
  const count = first ?? PAGE_DEFAULT;
  if (count >= 1 && count <= PAGE_MAX) return count;
  throw new InvalidField('first', `must be between 1 and ${PAGE_MAX}; got ${count}`);
}

function keyOf(key: FirstOf): string {
  return `${key.id} ${key.first ?? PAGE_DEFAULT}`;
}

async function firstIds<T extends object>(
  em: EntityManager,
  entity: EntityClass<T>,
  owner: string,
  ownerIds: readonly number[],
  first: number,
): Promise<{ owner: number; ids: number[] }[]> {
  const { tableName, properties } = em.getMetadata().get<Record<string, unknown>>(entity);
  const column = properties[owner]?.fieldNames[0] ?? owner;
  const { rows } = await sql<{ owner: number; ids: number[] }>`
    select o.id as owner, array(select r.id from ${sql.table(tableName)} r where r.${sql.ref(column)} = o.id
                                 order by r.id limit ${first}) as ids
      from unnest(${ownerIds}::integer[]) o(id)`.execute(em.getKysely());
  return rows;
}
