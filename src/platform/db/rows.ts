import { ReferenceKind } from '@mikro-orm/core';
import type { EntityMetadata } from '@mikro-orm/core';
import type {
  EntityClass,
  EntityManager,
  FilterQuery,
  FindOptions,
  ObjectQuery,
} from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** What the columns of an entity hold, without the entity: a reference is `{ id }`; there are no methods. */
export type RowOf<T> = {
  [K in keyof T as T[K] extends Method | Many ? never : K]: NonNullable<T[K]> extends One
    ? { readonly id: number } | Extract<T[K], null>
    : T[K];
};

type Method = (...args: never[]) => unknown;
interface One {
  unwrap(): unknown;
}
interface Many {
  getItems(): unknown;
}

export type RowOptions<T> = Pick<FindOptions<T>, 'orderBy' | 'first' | 'after' | 'overfetch'>;

/**
 * Reads rows that are only shown. An entity is for changing a row, and costs five times as much to make: it is filled,
 * kept, and compared with what it was.
 */
export async function findRows<T extends object>(
  em: EntityManager,
  entity: EntityClass<T>,
  where: FilterQuery<T>,
  options: RowOptions<T>,
): Promise<RowOf<T>[]> {
  const ctx = em.getTransactionContext<object>();
  const rows = await em.getDriver().find<T>(entity, where as ObjectQuery<T>, {
    ...options,
    ...(ctx && { ctx }),
  });
  return asRows<T>(rows, em, em.getMetadata().get(entity));
}

/** The rows of these ids, of each entity by id; one statement for all. */
export async function findRowsById(
  em: EntityManager,
  wanted: ReadonlyMap<EntityClass<object>, readonly number[]>,
): Promise<Map<EntityClass<object>, Map<number, object>>> {
  const found = new Map([...wanted.keys()].map((entity) => [entity, new Map<number, object>()]));
  const parts = [...wanted].map(([entity, ids], at) => {
    const { tableName } = em.getMetadata().get(entity);
    return sql<Part>`select ${at}::integer as part, to_jsonb(t) as columns from ${sql.table(tableName)} t
                      where t.id = any(${ids})`;
  });
  const { rows } = await sql<Part>`${sql.join(parts, sql` union all `)}`.execute(em.getKysely());
  const entities = [...wanted.keys()];
  for (const { part, columns } of rows) {
    const entity = entities[part];
    if (entity) found.get(entity)?.set(columns.id, rowFrom(em, entity, columns));
  }
  return found;
}

interface Part {
  /** Which of the entities. */
  readonly part: number;
  readonly columns: { readonly id: number };
}

/** A row as PostgreSQL gives it, by the names of the entity. */
export function rowFrom<T extends object>(
  em: EntityManager,
  entity: EntityClass<T>,
  columns: object,
): RowOf<T> {
  const meta = em.getMetadata().get(entity);
  const [row] = asRows<T>([em.getDriver().mapResult(columns, meta)], em, meta);
  if (row === undefined) throw new Error(`There is no row of ${meta.className}`);
  return row;
}

function asRows<T>(rows: readonly unknown[], em: EntityManager, meta: EntityMetadata<T>): RowOf<T>[] {
  const platform = em.getPlatform();
  const references = meta.relations.filter(({ kind }) => kind === ReferenceKind.MANY_TO_ONE);
  // Numbers beyond 32 bits and arrays, which come as text.
  const converted = meta.props.filter(({ customType }) => customType !== undefined);
  const dates = meta.props.filter(({ runtimeType }) => runtimeType === 'Date');
  for (const row of rows as Record<string, unknown>[]) {
    for (const { name } of references) {
      const id = row[name];
      if (id != null) row[name] = { id };
    }
    // What is no date is given as it came; as an invalid one it is refused by whoever shows it.
    for (const { name } of dates) {
      const value = row[name];
      if (value != null && !(value instanceof Date)) row[name] = new Date(value as string);
    }
    for (const { name, customType } of converted) {
      const value = row[name];
      if (value != null) row[name] = customType?.convertToJSValue(value, platform);
    }
  }
  return rows as RowOf<T>[];
}
