import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { statusesBefore } from '../webhook-delivery.states.js';

/** A delivery that this process has taken. */
export interface ClaimedDelivery {
  readonly id: number;
  readonly webhookId: number;
  /** The target's, when it was taken. */
  readonly version: number;
  /** Which taking it is: an outcome counts only while nobody has taken it since. */
  readonly claim: number;
  /** This one included. */
  readonly attempts: number;
  readonly isTest: boolean;
  readonly eventId: string;
  /** Null: the event is past its retention. */
  readonly body: string | null;
  /** Until when the outcome must be recorded. */
  readonly leaseUntil: Date;
}

export interface ClaimRequest {
  readonly now: Date;
  /** Until when the outcome must be there. */
  readonly leaseUntil: Date;
  /** Of targets by id: how many deliveries this process has at hand already, and the most that it may have. */
  readonly atHand: ReadonlyMap<number, { readonly size: number; readonly max: number }>;
  /** Most that it may have at hand of any other target. */
  readonly perTargetMax: number;
  /** Most that it may have at hand of all targets, if each has its share; each may always have one. */
  readonly totalMax: number;
}

/**
 * Takes what is due, the longest due first, of each target as much as there is room for: a target with a thousand
 * deliveries due takes nothing from the others. What nobody can be sent any more is marked as skipped instead. Any
 * number of workers may do this at once; none gets what another has.
 */
export async function claimDue(em: EntityManager, request: ClaimRequest): Promise<ClaimedDelivery[]> {
  const { now, leaseUntil, atHand, perTargetMax, totalMax } = request;
  const lanes = [...atHand.values()];
  const { rows } = await sql<Omit<ClaimedDelivery, 'leaseUntil'> & { isOpen: boolean }>`
    with target as materialized (
      select w.id, w.version, w.enabled, w.deleted_at is null and w.url is not null as is_there,
             least(coalesce(h.max, ${perTargetMax}::integer), greatest(1, ${totalMax}::integer / count(*) over ()))
               - coalesce(h.size, 0) as room
        from webhook w
        left join unnest(${[...atHand.keys()]}::integer[], ${lanes.map(({ size }) => size)}::integer[],
                         ${lanes.map(({ max }) => max)}::integer[]) h (id, size, max) on h.id = w.id
    ), due as materialized (
      select d.id
        from target t cross join lateral (
          select d.id from webhook_delivery d
           where d.webhook_id = t.id and d.due_at <= ${now} order by d.due_at, d.id
           limit greatest(0, t.room) for update skip locked) d
    ), taken as (
      update webhook_delivery d
         set status = case when ${isOpen} then 'delivering' else 'skipped' end,
             due_at = case when ${isOpen} then ${leaseUntil}::timestamptz end,
             -- Whose worker died is tried again, and that is still the same attempt.
             attempts = d.attempts + (${isOpen} and d.status <> 'delivering')::integer,
             claim = d.claim + 1, updated_at = ${now}
        from target t
       -- By an array: joined, the planner would take a few rows for many, and read the whole table.
       where d.id = any(array(select id from due)) and t.id = d.webhook_id
         and d.status = any(${statusesBefore('delivering')}::text[])
      returning d.id, d.webhook_id, t.version, d.claim, d.attempts, d.is_test, d.event_id, ${isOpen} as is_open
    )
    select t.id::float8 as id, t.webhook_id as "webhookId", t.version, t.claim, t.attempts, t.is_test as "isTest",
           t.event_id as "eventId", e.body, t.is_open as "isOpen"
      from taken t left join webhook_event e on e.id = t.event_id
     order by t.id`.execute(em.getKysely());
  return rows.filter(({ isOpen }) => isOpen).map((row) => ({ ...row, leaseUntil }));
}

/** Whether the target can be sent it: a test even while it is disabled. */
const isOpen = sql<boolean>`(t.is_there and (t.enabled or d.is_test))`;
