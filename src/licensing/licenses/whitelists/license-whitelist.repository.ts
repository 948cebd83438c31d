import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { idArray } from '../../../platform/db/id-array.js';
import { NotFound } from '../../../platform/errors.js';
import type { WhitelistType } from '../../whitelists/whitelist.entity.js';
import { sourceOf } from '../../whitelists/whitelist.rules.js';
import { lookupOf, maskKey } from '../license-key.rules.js';

/** A whitelist as one license has it. */
export interface LicenseWhitelistEntry {
  readonly whitelistId: number;
  readonly name: string;
  readonly type: WhitelistType;
  /** `header:X-HWID`, `field:hwid` or `ip`. */
  readonly source: string;
  /** The license's own limit, else the definition's. */
  readonly limit: number;
  /** Null: the license has no limit of its own. */
  readonly ownLimit: number | null;
  /** In the order in which they were bound. */
  readonly values: readonly string[];
  /** The definition is global, or attached to the license's product. */
  readonly enforced: boolean;
}

type Row = Omit<LicenseWhitelistEntry, 'source'> & {
  readonly licenseId: number;
  readonly header: string | null;
  readonly field: string | null;
};

/**
 * For each license, by name, the lists that are enforced for it, or that it has values or a limit of its own on; one
 * statement for any number of licenses. With `whitelistId`: exactly that list, whatever the license has to do with it.
 */
export async function whitelistEntriesOf(
  em: EntityManager,
  licenseIds: readonly number[],
  { whitelistId }: { readonly whitelistId?: number } = {},
): Promise<Map<number, LicenseWhitelistEntry[]>> {
  const asked = whitelistId ?? null;
  const ids = idArray(licenseIds);
  const { rows } = await sql<Row>`
    with owner as (select id, product_id from license where id = any(${ids})),
    enforced as (
      select o.id as license_id, w.id as whitelist_id from owner o cross join whitelist w where w.is_global
      union
      select o.id, pw.whitelist_id from owner o join product_whitelist pw on pw.product_id = o.product_id),
    held as (
      select license_id, whitelist_id, array_agg(value order by created_at, value) as list
        from license_whitelist_value where license_id = any(${ids})
       group by license_id, whitelist_id),
    shown as (
      select license_id, whitelist_id from enforced
      union select license_id, whitelist_id from held
      union select license_id, whitelist_id from license_whitelist where license_id = any(${ids})
      union select o.id, w.id from owner o join whitelist w on w.id = ${asked}::integer)
    select s.license_id as "licenseId", w.id as "whitelistId", w.name, w.type, w.header, w.field,
           coalesce(lw.value_limit, w.value_limit) as "limit", lw.value_limit as "ownLimit",
           coalesce(h.list, '{}') as "values", e.license_id is not null as enforced
      from shown s
      join whitelist w on w.id = s.whitelist_id
      left join enforced e on e.license_id = s.license_id and e.whitelist_id = s.whitelist_id
      left join held h on h.license_id = s.license_id and h.whitelist_id = s.whitelist_id
      left join license_whitelist lw on lw.license_id = s.license_id and lw.whitelist_id = s.whitelist_id
     where ${asked}::integer is null or w.id = ${asked}::integer
     order by s.license_id, w.name`.execute(em.getKysely());
  const grouped = Map.groupBy(rows, (row) => row.licenseId);
  return new Map([...grouped].map(([id, group]) => [id, group.map(entryOf)]));
}

function entryOf({ licenseId: _, header, field, ...entry }: Row): LicenseWhitelistEntry {
  return { ...entry, source: sourceOf({ type: entry.type, header, field }) };
}

/** Whitelist name → `{ values, limit }`, as a license shows its lists. */
export type ShownWhitelists = Readonly<
  Record<string, { readonly values: readonly string[]; readonly limit: number }>
>;

export function shownWhitelists(entries: readonly LicenseWhitelistEntry[]): ShownWhitelists {
  // Not by assignment: a list may be called __proto__.
  return Object.fromEntries(entries.map(({ name, values, limit }) => [name, { values, limit }]));
}

/** What the activity log compares: only what is the license's own, not what its product brings. */
export async function ownWhitelistsOf(em: EntityManager, licenseId: number): Promise<ShownWhitelists> {
  const entries = (await whitelistEntriesOf(em, [licenseId])).get(licenseId) ?? [];
  return shownWhitelists(entries.filter(({ values, ownLimit }) => values.length > 0 || ownLimit !== null));
}

export interface LockedLicense {
  readonly id: number;
  readonly key: string;
}

/**
 * The license of a key, locked until the transaction ends. Whoever binds values takes this lock first and counts
 * afterwards, in a statement of its own, so that no list ever gets more values than its limit.
 */
export async function lockLicense(em: EntityManager, key: string): Promise<LockedLicense> {
  const { rows } = await sql<LockedLicense>`
    select id, key from license where lookup = ${lookupOf(key)} for no key update`.execute(em.getKysely());
  const [license] = rows;
  if (!license) throw new NotFound('license', maskKey(key));
  return license;
}

/** Its lists are members of the license, so that changing them changes it. */
export async function touchLicense(em: EntityManager, licenseId: number, now: Date): Promise<void> {
  await sql`update license set updated_at = ${now} where id = ${licenseId}`.execute(em.getKysely());
}

interface ListKey {
  readonly licenseId: number;
  readonly whitelistId: number;
}

/**
 * Puts values at the end of the list. Each is dated a microsecond after the one before it, since values bound at the
 * same moment have an order too.
 */
export async function appendValues(
  em: EntityManager,
  { licenseId, whitelistId }: ListKey,
  values: readonly string[],
  now: Date,
): Promise<void> {
  await sql`
    insert into license_whitelist_value (license_id, whitelist_id, value, created_at)
    select ${licenseId}, ${whitelistId}, v.value,
           greatest(${now}::timestamptz, (select max(created_at) from license_whitelist_value
                                           where license_id = ${licenseId} and whitelist_id = ${whitelistId}))
             + v.place * interval '1 microsecond'
      from unnest(${values}::text[]) with ordinality v (value, place)
    on conflict do nothing`.execute(em.getKysely());
}

export async function removeValues(
  em: EntityManager,
  { licenseId, whitelistId }: ListKey,
  values: readonly string[],
): Promise<void> {
  await sql`
    delete from license_whitelist_value
     where license_id = ${licenseId} and whitelist_id = ${whitelistId}
       and value = any(${values}::text[])`.execute(em.getKysely());
}

/** Gives the license a limit of its own, or with null the definition's. */
export async function storeOwnLimit(
  em: EntityManager,
  { licenseId, whitelistId }: ListKey,
  limit: number | null,
): Promise<void> {
  const statement =
    limit === null
      ? sql`delete from license_whitelist where license_id = ${licenseId} and whitelist_id = ${whitelistId}`
      : sql`
    insert into license_whitelist (license_id, whitelist_id, value_limit)
    values (${licenseId}, ${whitelistId}, ${limit})
    on conflict (license_id, whitelist_id) do update set value_limit = excluded.value_limit`;
  await statement.execute(em.getKysely());
}
