import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../context.js';

/** The record an event is about: its kind and the name by which people know it. */
export interface ResourceRef {
  readonly type: string;
  readonly id: string;
}

/** What changed, per field: before and after. Secrets and whole license keys never stand here. */
export type Changes = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

export interface Emission {
  readonly resource: ResourceRef;
  readonly changes?: Changes | undefined;
}

/**
 * The one gate through which anything is announced. Writes the activity entry on the connection of the change's
 * transaction, so that there is no change without its entry and no entry without its change.
 */
export async function emitEvent(
  em: EntityManager,
  ctx: ActionContext,
  event: string,
  emission: Emission,
): Promise<void> {
  await emitEvents(em, ctx, event, [emission]);
}

/** Many events of one kind in one statement. */
export async function emitEvents(
  em: EntityManager,
  ctx: ActionContext,
  event: string,
  emissions: readonly Emission[],
): Promise<void> {
  if (emissions.length === 0) return;
  const rows = emissions.map(({ resource, changes }) => ({
    type: resource.type,
    id: resource.id,
    changes: changes ?? null,
  }));
  await sql`
    insert into activity (event, actor, source, resource_type, resource_id, changes, request_id, created_at)
    select ${event}, ${ctx.caller.name}, ${ctx.source}, row->>'type', row->>'id', nullif(row->'changes', 'null'),
           ${ctx.requestId}, ${ctx.clock.now()}
      from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) row`.execute(em.getKysely());
}

/** The fields that differ between two states of a record. */
export function diff(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Changes {
  const changes: Record<string, [unknown, unknown]> = {};
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [plain(before[field]), plain(after[field])];
    if (JSON.stringify(was) !== JSON.stringify(is)) changes[field] = [was, is];
  }
  return changes;
}

function plain(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : (value ?? null);
}
