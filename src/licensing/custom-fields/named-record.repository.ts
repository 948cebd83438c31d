import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { escapeLike } from '../../platform/db/escape-like.js';
import { findPage } from '../../platform/db/page.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import type { NamedKind, NamedRecord } from './named-record.service.js';

export interface NamedFilter {
  readonly names?: readonly string[] | null;
  readonly nameContains?: string | null;
  readonly custom?: readonly CustomValue[] | null;
}

/** A custom field and the value it must have. */
export interface CustomValue {
  readonly name: string;
  readonly equals: unknown;
}

export async function findNamedRecords<T extends NamedRecord>(
  em: EntityManager,
  { entity }: NamedKind<T>,
  filter: NamedFilter,
  request: PageRequest,
): Promise<RowPage<T>> {
  const all: object[] = [];
  if (filter.names != null) all.push({ name: { $in: filter.names } });
  if (filter.nameContains != null) all.push({ name: { $ilike: `%${escapeLike(filter.nameContains)}%` } });
  for (const value of filter.custom ?? []) all.push({ custom: containing(value) });
  return findPage(em, entity, { $and: all } as unknown as FilterQuery<T>, request);
}

/** The condition on a `custom` column, which its index answers. */
export function containing({ name, equals }: CustomValue) {
  return { $contains: { [name]: equals } };
}
