import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { findPage } from '../../platform/db/page.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import { InvalidField, NotFound } from '../../platform/errors.js';
import { Whitelist } from './whitelist.entity.js';
import type { WhitelistType } from './whitelist.entity.js';

export interface WhitelistFilter {
  readonly name?: string | null;
  readonly type?: WhitelistType | null;
  readonly global?: boolean | null;
}

export async function findWhitelists(
  em: EntityManager,
  filter: WhitelistFilter,
  request: PageRequest,
): Promise<RowPage<Whitelist>> {
  const all: FilterQuery<Whitelist>[] = [];
  if (filter.name != null) all.push({ name: filter.name });
  if (filter.type != null) all.push({ type: filter.type });
  if (filter.global != null) all.push({ global: filter.global });
  return findPage(em, Whitelist, { $and: all }, request);
}

/** What a list is, to whoever puts values on it. */
export interface WhitelistFacts {
  readonly id: number;
  readonly name: string;
  readonly type: WhitelistType;
  readonly limit: number;
}

/**
 * The lists of these names, by name. They are kept from being deleted, and from becoming lists of addresses, until the
 * transaction ends; values may be put on them meanwhile.
 */
export async function whitelistsByName(
  em: EntityManager,
  names: readonly string[],
): Promise<Map<string, WhitelistFacts>> {
  const { rows } = await sql<WhitelistFacts>`
    select id, name, type, value_limit as "limit" from whitelist
     where name = any(${names}::text[]) order by id for key share`.execute(em.getKysely());
  return new Map(rows.map((row) => [row.name, row]));
}

/** The one list of a name, kept likewise; throws `WHITELIST_NOT_FOUND`. */
export async function existingWhitelist(em: EntityManager, name: string): Promise<WhitelistFacts> {
  const whitelist = (await whitelistsByName(em, [name])).get(name);
  if (!whitelist) throw new NotFound('whitelist', name);
  return whitelist;
}

/** The ids behind names, kept likewise; names that don't exist are a 422 of `field` that lists them. */
export async function whitelistIds(
  em: EntityManager,
  names: readonly string[],
  field: string,
): Promise<number[]> {
  const found = await whitelistsByName(em, names);
  const missing = [...new Set(names)].filter((name) => !found.has(name));
  if (missing.length > 0) {
    const list = missing.map((name) => JSON.stringify(name)).join(', ');
    throw new InvalidField(field, `names no existing whitelist: ${list}`);
  }
  return [...found.values()].map(({ id }) => id);
}

/** How many values licenses hold on the list, all together. */
export async function countValues(em: EntityManager, whitelistId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from license_whitelist_value
     where whitelist_id = ${whitelistId}`.execute(em.getKysely());
  return rows[0]?.count ?? 0;
}
