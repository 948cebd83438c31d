import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { byName } from './license-plan.rules.js';
import type { LicensePlan, LicenseState, Named } from './license-plan.rules.js';
import { NEW_LICENSE } from './license-plan.rules.js';

/** Rows a statement: few round trips, and none that holds much memory at either end. */
export const BATCH_ROWS = 2000;

export function* batchesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += BATCH_ROWS) yield items.slice(at, at + BATCH_ROWS);
}

/**
 * Lets bulk changes with keys of the caller's follow each other. At once, two that hold the same keys in another order
 * would lock each other out.
 */
export async function lockBulkChanges(em: EntityManager): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('bulk license changes'))`.execute(em.getKysely());
}

/** A license that is there. */
export interface StoredLicense {
  readonly id: number;
  readonly key: string;
  readonly lookup: string;
  readonly state: LicenseState;
}

/** The licenses of these keys, by the keys' normal form, locked until the transaction ends. */
export async function lockLicenses(
  em: EntityManager,
  lookups: readonly string[],
): Promise<Map<string, StoredLicense>> {
  if (lookups.length === 0) return new Map();
  const { rows } = await sql<{ id: number }>`
    select id from license where lookup = any(${lookups}::text[]) order by id for no key update`.execute(
    em.getKysely(),
  );
  // Only a statement of its own sees what was committed while we waited for the locks.
  const licenses = await storedLicenses(
    em,
    rows.map(({ id }) => id),
  );
  return new Map(licenses.map((license) => [license.lookup, license]));
}

type Row = Omit<StoredLicense, 'state'> &
  Omit<LicenseState, 'addons' | 'expiresAt'> & {
    readonly addons: readonly Named[] | null;
    readonly expiresAtMillis: number | null;
  };

/** Licenses with the names they refer to, in id order; one statement for any number. */
export async function storedLicenses(em: EntityManager, ids: readonly number[]): Promise<StoredLicense[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<Row>`
    select l.id, l.key, l.lookup, l.status, (extract(epoch from l.expires_at) * 1000)::float8 as "expiresAtMillis",
           l.seats, l.note,
           ${named('p', 'name')} as product, ${named('c', 'name')} as customer, ${named('u', 'user_id')} as "user",
           (select jsonb_agg(${named('a', 'name')}) from license_addon la join addon a on a.id = la.addon_id
             where la.license_id = l.id) as addons
      from license l
      left join product p on p.id = l.product_id
      left join customer c on c.id = l.customer_id
      left join app_user u on u.id = l.user_id
     where l.id = any(${ids}) order by l.id`.execute(em.getKysely());
  return rows.map(({ id, key, lookup, addons, expiresAtMillis, ...state }) => ({
    ...{ id, key, lookup },
    state: {
      ...state,
      expiresAt: expiresAtMillis === null ? null : new Date(expiresAtMillis),
      addons: byName(addons ?? []),
    },
  }));
}

function named(alias: string, column: string) {
  const id = sql.ref(`${alias}.id`);
  return sql`case when ${id} is not null then jsonb_build_object('id', ${id}, 'name', ${sql.ref(`${alias}.${column}`)}) end`;
}

/** The columns of a license that a bulk change writes. */
const COLUMNS = sql`
  status text, product_id integer, customer_id integer, user_id integer, expires_at timestamptz, seats integer,
  note text`;

function columnsOf(state: LicenseState) {
  return {
    status: state.status,
    product_id: state.product?.id ?? null,
    customer_id: state.customer?.id ?? null,
    user_id: state.user?.id ?? null,
    expires_at: state.expiresAt,
    seats: state.seats,
    note: state.note,
  };
}

/** A plan that came true. */
export interface InsertedLicense {
  readonly id: number;
  readonly plan: LicensePlan;
}

/** Inserts the plans of a batch, in their order. Those whose keys are taken are left out. */
export async function insertLicenses(
  em: EntityManager,
  plans: readonly LicensePlan[],
  now: Date,
): Promise<{ inserted: InsertedLicense[]; taken: LicensePlan[] }> {
  const records = plans.map(({ key, lookup, sent }, place) => ({
    ...{ place, key, lookup },
    ...columnsOf({ ...NEW_LICENSE, ...sent }),
  }));
  const { rows } = await sql<{ id: number; lookup: string }>`
    insert into license (key, lookup, status, product_id, customer_id, user_id, expires_at, seats, note,
                         created_at, updated_at)
    select r.key, r.lookup, r.status, r.product_id, r.customer_id, r.user_id, r.expires_at, r.seats, r.note,
           ${now}, ${now}
      from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) r (place integer, key text, lookup text, ${COLUMNS})
     order by r.place
    on conflict (lookup) do nothing
    returning id, lookup`.execute(em.getKysely());
  const ids = new Map(rows.map(({ id, lookup }) => [lookup, id]));
  const inserted: InsertedLicense[] = [];
  const taken: LicensePlan[] = [];
  const addons: LicenseAddons[] = [];
  for (const plan of plans) {
    const id = ids.get(plan.lookup);
    // Two plans of one batch may have been given the same generated key; the first one has it.
    ids.delete(plan.lookup);
    if (id === undefined) {
      taken.push(plan);
      continue;
    }
    inserted.push({ id, plan });
    addons.push({ id, addons: plan.sent.addons ?? [] });
  }
  await insertAddons(em, addons);
  await insertLists(em, inserted, now);
  return { inserted, taken };
}

/** Gives licenses of a batch their new states. */
export async function updateLicenses(
  em: EntityManager,
  licenses: readonly { readonly id: number; readonly state: LicenseState }[],
  now: Date,
): Promise<void> {
  const db = em.getKysely();
  const records = licenses.map(({ id, state }) => ({ id, ...columnsOf(state) }));
  await sql`
    update license l
       set status = r.status, product_id = r.product_id, customer_id = r.customer_id, user_id = r.user_id,
           expires_at = r.expires_at, seats = r.seats, note = r.note, updated_at = ${now}
      from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) r (id integer, ${COLUMNS})
     where l.id = r.id`.execute(db);
  await sql`delete from license_addon where license_id = any(${licenses.map(({ id }) => id)})`.execute(db);
  await insertAddons(
    em,
    licenses.map(({ id, state }) => ({ id, addons: state.addons })),
  );
}

interface LicenseAddons {
  readonly id: number;
  readonly addons: readonly Named[];
}

async function insertAddons(em: EntityManager, licenses: readonly LicenseAddons[]): Promise<void> {
  const pairs = licenses.flatMap(({ id, addons }) => addons.map((addon) => ({ id, addonId: addon.id })));
  if (pairs.length === 0) return;
  const [ids, addonIds] = [pairs.map(({ id }) => id), pairs.map(({ addonId }) => addonId)];
  await sql`
    insert into license_addon (license_id, addon_id)
    select * from unnest(${ids}::integer[], ${addonIds}::integer[])`.execute(em.getKysely());
}

async function insertLists(
  em: EntityManager,
  licenses: readonly InsertedLicense[],
  now: Date,
): Promise<void> {
  const lists = licenses.flatMap(({ id, plan: { whitelists } }) =>
    whitelists.map(({ whitelistId, values, ownLimit }) => ({
      ...{ license_id: id, whitelist_id: whitelistId, list: values, own_limit: ownLimit },
    })),
  );
  if (lists.length === 0) return;
  const records = JSON.stringify(lists);
  // Each value is dated a microsecond after the one before it, since values have an order.
  await sql`
    with list as (
      select * from jsonb_to_recordset(${records}::jsonb)
        r (license_id integer, whitelist_id integer, list jsonb, own_limit integer)),
    limited as (
      insert into license_whitelist (license_id, whitelist_id, value_limit)
      select license_id, whitelist_id, own_limit from list where own_limit is not null)
    insert into license_whitelist_value (license_id, whitelist_id, value, created_at)
    select l.license_id, l.whitelist_id, v.value, ${now}::timestamptz + v.place * interval '1 microsecond'
      from list l cross join lateral jsonb_array_elements_text(l.list) with ordinality v (value, place)`.execute(
    em.getKysely(),
  );
}
