import type { EntityClass, EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';

/** Loads rows by id, batched: `ctx.load(productById, 7)`. Null where there is none. */
export function byId<T extends { id: number }>(entity: EntityClass<T>) {
  return ({ em }: { readonly em: EntityManager }) =>
    new DataLoader<number, T | null>(async (ids) => {
      const rows = (await em.find<T>(entity, { id: { $in: ids } } as unknown as FilterQuery<T>)) as T[];
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => found.get(id) ?? null);
    });
}

/** Loads a list per id, batched by one query that answers for many. */
export function listsById<V>(load: (em: EntityManager, ids: readonly number[]) => Promise<Map<number, V[]>>) {
  return ({ em }: { readonly em: EntityManager }) =>
    new DataLoader<number, V[]>(async (ids) => {
      const found = await load(em, ids);
      return ids.map((id) => found.get(id) ?? []);
    });
}
