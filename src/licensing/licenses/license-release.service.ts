import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';
import { failure } from '../../platform/errors.js';
import { emitMany } from '../events.js';
import { maskKey } from './license-key.rules.js';

/** The record that is about to be deleted, and the column by which licenses refer to it. */
interface Referred {
  readonly column: 'product_id' | 'customer_id';
  readonly record: string;
  readonly id: number;
  readonly name: string;
}

/**
 * Before a product or customer goes: throws `IN_USE` (409) when licenses refer to it, or with `force` unlinks and
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
    throw failure(
      'IN_USE',
      `${count} licenses refer to the ${record} "${name}"; "force": true unlinks and suspends them`,
    );
  }
  const { rows } = await sql<{ key: string; status: string }>`
    with before as (select id, status from license where ${sql.ref(column)} = ${id} for update)
    update license l
       set ${sql.ref(column)} = null, updated_at = ${ctx.clock.now()},
           status = case when l.status = 'active' then 'suspended' else l.status end
      from before where before.id = l.id
    returning l.key, before.status`.execute(db);
  const released = rows.map((row) => ({
    resource: { type: 'license', id: maskKey(row.key) },
    changes: {
      [record]: [name, null] as const,
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
