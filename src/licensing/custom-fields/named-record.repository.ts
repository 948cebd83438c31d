import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { findPage } from '../../platform/db/page.js';
import type { Page, PageRequest } from '../../platform/db/page.js';
import type { NamedKind, NamedRecord } from './named-record.service.js';

export interface NamedFilter {
  readonly names?: readonly string[] | null;
  readonly nameContains?: string | null;
  readonly custom?: readonly { readonly name: string; readonly equals: unknown }[] | null;
}

export async function findNamedRecords<T extends NamedRecord>(
  em: EntityManager,
  { entity }: NamedKind<T>,
  filter: NamedFilter,
  request: PageRequest,
): Promise<Page<T>> {
  const all: object[] = [];
  if (filter.names != null) all.push({ name: { $in: filter.names } });
  if (filter.nameContains != null) all.push({ name: { $ilike: `%${escapeLike(filter.nameContains)}%` } });
  for (const { name, equals } of filter.custom ?? []) all.push({ custom: { $contains: { [name]: equals } } });
  return findPage(em, entity, { $and: all } as unknown as FilterQuery<T>, request);
}

/** `%` and `_` of the caller's are characters, not wildcards. */
function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
