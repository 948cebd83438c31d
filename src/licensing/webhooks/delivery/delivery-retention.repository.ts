import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ENDED_STATUSES } from '../webhook-delivery.states.js';

/** Rows a statement: none holds its locks for long. */
const BATCH = 5_000;

/**
 * Deletes ended deliveries from before a moment, the oldest first: along the ids, which were given out in the order of
 * time, so that it reads what it deletes and not the whole table. Resolves to how many.
 */
export async function deleteOldDeliveries(em: EntityManager, before: Date): Promise<number> {
  const db = em.getKysely();
  let [deleted, afterId] = [0, 0];
  for (;;) {
    const { rows } = await sql<{ last: number | null; seen: number; deleted: number }>`
      with oldest as (
        select id, status, created_at from webhook_delivery where id > ${afterId} order by id limit ${BATCH}
      ), old as (select id, status from oldest where created_at < ${before}),
      gone as (
        delete from webhook_delivery d using old
         where d.id = old.id and d.status = any(${[...ENDED_STATUSES]}::text[]) returning d.id
      )
      select max(id)::float8 as last, count(*)::integer as seen, (select count(*) from gone)::integer as deleted
        from old`.execute(db);
    const [row] = rows;
    deleted += row?.deleted ?? 0;
    if (row?.last == null || row.seen < BATCH) return deleted;
    afterId = row.last;
  }
}

/** Deletes events from before a moment; their ids sort by time. Resolves to how many. */
export async function deleteOldEvents(em: EntityManager, before: Date): Promise<number> {
  const db = em.getKysely();
  for (let deleted = 0; ;) {
    const { numAffectedRows = 0n } = await sql`
      delete from webhook_event where id in (
        select id from (select id, created_at from webhook_event order by id limit ${BATCH}) oldest
         where created_at < ${before})`.execute(db);
    deleted += Number(numAffectedRows);
    if (numAffectedRows < BigInt(BATCH)) return deleted;
  }
}

/** Deletes targets that were deleted and whose last delivery is forgotten. Resolves to how many. */
export async function deleteOldTargets(em: EntityManager): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from webhook w where w.deleted_at is not null
       and not exists (select from webhook_delivery d where d.webhook_id = w.id)`.execute(em.getKysely());
  return Number(numAffectedRows);
}
