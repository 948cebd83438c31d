import type { EntityClass, EntityManager } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import { findRowsById } from './rows.js';
import type { RowOf } from './rows.js';

interface Key {
  readonly entity: EntityClass<object>;
  readonly id: number;
}

type Rows = DataLoader<Key, object | null>;

/** All entities' rows that are asked for by id in the same tick come by one statement. */
const loaders = new WeakMap<EntityManager, Rows>();

function rowsOf(em: EntityManager): Rows {
  const known = loaders.get(em);
  if (known) return known;
  const rows: Rows = new DataLoader(
    async (keys) => {
      const asked = Map.groupBy(keys, ({ entity }) => entity);
      const ids = new Map([...asked].map(([entity, some]) => [entity, some.map(({ id }) => id)]));
      const found = await findRowsById(em, ids);
      return keys.map(({ entity, id }) => found.get(entity)?.get(id) ?? null);
    },
    // Those that ask remember, for as long as they may.
    { cache: false },
  );
  loaders.set(em, rows);
  return rows;
}

/** Loads rows by id, batched: `ctx.load(productById, 7)`. Null where there is none. */
export function byId<T extends { id: number }>(entity: EntityClass<T>) {
  return ({ em }: { readonly em: EntityManager }) =>
    new DataLoader<number, RowOf<T> | null>(
      (ids) => rowsOf(em).loadMany(ids.map((id) => ({ entity, id }))) as Promise<(RowOf<T> | Error | null)[]>,
    );
}

/** Loads a list per id, batched by one query that answers for many. */
export function listsById<V>(load: (em: EntityManager, ids: readonly number[]) => Promise<Map<number, V[]>>) {
  return ({ em }: { readonly em: EntityManager }) =>
    new DataLoader<number, V[]>(async (ids) => {
      const found = await load(em, ids);
      return ids.map((id) => found.get(id) ?? []);
    });
}
