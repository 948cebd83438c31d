import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';
import { counted } from '../../platform/counted.js';
import { failure } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import { emitMany } from '../events.js';
import { licensesDataTogether } from './license-data.repository.js';
import { maskKey } from './license-key.rules.js';

/** The record that is about to be deleted, and the column by which licenses refer to it. */
interface Referred {
  readonly column: 'product_id' | 'customer_id' | 'user_id';
  readonly record: string;
  readonly id: number;
  readonly name: string;
}

/**
 * Before a product, customer or user goes: throws `IN_USE` (409) when licenses refer to it, or with `force` unlinks and
 * suspends them, since a license without its product must not stay valid by accident.
 */
export async function releaseLicenses(
  em: EntityManager,
  ctx: ActionContext,
  { column, record, id, name }: Referred,
  options: { readonly force: boolean },
): Promise<void> {
  const db = em.getKysely();
  if (!options.force) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from license where ${sql.ref(column)} = ${id}`.execute(db);
    const count = rows[0]?.count ?? 0;
    if (count === 0) return;
    const refer = counted(count, 'license refers', 'licenses refer');
    throw failure(
      'IN_USE',
      `${refer} to the ${record} "${name}"; "force": true unlinks and suspends ${count === 1 ? 'it' : 'them'}`,
    );
  }
  const { rows } = await sql<{ id: number; key: string; status: string }>`
    with before as (select id, status from license where ${sql.ref(column)} = ${id} for update)
    update license l
       set ${sql.ref(column)} = null, updated_at = ${ctx.clock.now()},
           status = case when l.status = 'active' then 'suspended' else l.status end
      from before where before.id = l.id
    returning l.id, l.key, before.status`.execute(db);
  // A license shows its product and customer by name, but its user as `user_id`.
  const member = column === 'user_id' ? column : record;
  const dataOf = licensesDataTogether(
    em,
    rows.map((row) => row.id),
  );
  const released = rows.map((row) => ({
    resource: { type: 'license', id: maskKey(row.key) },
    data: dataOf(row.id),
    changes: {
      [member]: [name, null] as const,
      ...(row.status === 'active' ? { status: ['active', 'suspended'] as const } : {}),
    },
    wasActive: row.status === 'active',
  }));
  await emitMany(
    em,
    ctx,
    'license.suspended',
    released.filter((row) => row.wasActive),
  );
  await emitMany(
    em,
    ctx,
    'license.updated',
    released.filter((row) => !row.wasActive),
  );
}

/** Before an addon goes: throws `IN_USE` (409) when licenses hold it, or with `force` takes it from them. */
export async function releaseAddon(
  em: EntityManager,
  ctx: ActionContext,
  addon: { readonly id: number; readonly name: string },
  options: { readonly force: boolean },
): Promise<void> {
  const db = em.getKysely();
  const { rows } = await sql<{ id: number; key: string; addons: string[] }>`
    select l.id, l.key, array(select a.name from license_addon la join addon a on a.id = la.addon_id
                               where la.license_id = l.id order by a.name) as addons
      from license l
     where exists (select from license_addon la where la.license_id = l.id and la.addon_id = ${addon.id})
     order by l.id for update of l`.execute(db);
  if (rows.length === 0) return;
  if (!options.force) {
    const hold = counted(rows.length, 'license holds', 'licenses hold');
    throw failure(
      'IN_USE',
      `${hold} the addon "${addon.name}"; "force": true takes it from ${rows.length === 1 ? 'it' : 'them'}`,
    );
  }
  const ids = rows.map(({ id }) => id);
  await sql`delete from license_addon where addon_id = ${addon.id}`.execute(db);
  await sql`update license set updated_at = ${ctx.clock.now()} where id = any(${ids})`.execute(db);
  const dataOf = licensesDataTogether(em, ids);
  const emissions = rows.map(({ id, key, addons }) => ({
    resource: { type: 'license', id: maskKey(key) },
    data: dataOf(id),
    changes: diff({ addons }, { addons: addons.filter((name) => name !== addon.name) }),
  }));
  await emitMany(em, ctx, 'license.updated', emissions);
}
