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

/** A record as REST returns it. */
export type EventData = Readonly<Record<string, unknown>>;

export interface Emission {
  readonly resource: ResourceRef;
  readonly changes?: Changes | undefined;
  /**
   * The record as REST returns it, for those outside who are told; of what is deleted, its last state. A function is
   * asked only when somebody wants the event, at once, and in the change's transaction.
   */
  readonly data?: EventData | (() => Promise<EventData>) | undefined;
}

/**
 * The one gate through which anything is announced. Writes the activity entry, and for the webhook targets that want
 * it the event and its deliveries, on the connection of the change's transaction: there is no change without its event
 * and no event without its change.
 */
export async function emitEvent(
  em: EntityManager,
  ctx: ActionContext,
  event: string,
  emission: Emission,
): Promise<void> {
  await emitEvents(em, ctx, event, [emission]);
}

/** Many events of one kind in one statement; in two, where somebody wants data that is yet to be had. */
export async function emitEvents(
  em: EntityManager,
  ctx: ActionContext,
  event: string,
  emissions: readonly Emission[],
): Promise<void> {
  if (emissions.length === 0) return;
  const isLater = emissions.some(({ data }) => typeof data === 'function');
  const rows = emissions.map(({ resource, changes, data }) => ({
    ...{ type: resource.type, id: resource.id, changes: changes ?? null },
    ...(data && !isLater && { data: JSON.stringify(data) }),
  }));
  const now = ctx.clock.now();
  const { rows: written } = await sql<{ isWanted: boolean }>`
    select emit_events(${event}, ${ctx.caller.name}, ${ctx.source}, ${ctx.requestId}, ${now},
                       ${JSON.stringify(rows)}::jsonb) as "isWanted"`.execute(em.getKysely());
  if (isLater && written[0]?.isWanted) await publishLater(em, event, now, emissions);
}

async function publishLater(
  em: EntityManager,
  event: string,
  now: Date,
  emissions: readonly Emission[],
): Promise<void> {
  const shown: string[] = [];
  for (const { data } of emissions) {
    if (data) shown.push(JSON.stringify(typeof data === 'function' ? await data() : data));
  }
  await publishEvents(em, event, now, shown);
}

/**
 * Only the event, for what is no change and has no activity entry. `data`: JSON, each as REST returns the record. With
 * a `target` that one gets it, whether it has subscribed and is enabled or not.
 */
export async function publishEvents(
  em: EntityManager,
  event: string,
  at: Date,
  data: readonly string[],
  options: { readonly target?: number } = {},
): Promise<void> {
  await sql`
    select publish_events(${event}, ${at}, ${data}::text[], ${options.target ?? null}::integer)`.execute(
    em.getKysely(),
  );
}

/**
 * The data of many emissions had together: `load` runs when the first is asked for. Each is asked for by its key, and
 * must be there.
 */
export function dataTogether<Key>(
  load: () => Promise<ReadonlyMap<Key, EventData>>,
): (key: Key) => () => Promise<EventData> {
  let loaded: Promise<ReadonlyMap<Key, EventData>> | undefined;
  return (key) => async () => {
    loaded ??= load();
    const data = (await loaded).get(key);
    if (!data) throw new Error(`There is no record ${String(key)} to announce`);
    return data;
  };
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
