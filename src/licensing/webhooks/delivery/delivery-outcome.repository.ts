import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { AttemptEntry } from '../webhook-delivery.entity.js';

/** What became of a delivery that this process had taken. */
export interface Outcome {
  readonly id: number;
  readonly webhookId: number;
  readonly claim: number;
  readonly isTest: boolean;
  /** `released`: it was not tried, and is to be had again. `gone`: the target said that it wants no more. */
  readonly kind: 'delivered' | 'failed' | 'gone' | 'skipped' | 'released';
  /** When a failed one is tried again; null: never. */
  readonly dueAt: Date | null;
  /** Null: there was no attempt. */
  readonly entry: AttemptEntry | null;
  readonly error: string | null;
}

/** Attempts that a delivery remembers, however often it is sent again. */
const ATTEMPT_LOG_MAX = 50;

/**
 * Records outcomes, many in one statement. One whose lease ran out and whom another worker has taken since is left to
 * that worker. What is to be tried again has a job at that moment. What failed while its target was disabled is skipped rather than tried again.
 */
export async function recordOutcomes(
  em: EntityManager,
  outcomes: readonly Outcome[],
  now: Date,
): Promise<void> {
  await sql`
    with recorded as (
    update webhook_delivery d
       set status = case
             when o.kind = 'delivered' then 'delivered'
             when o.kind = 'skipped' then 'skipped'
             when not (w.deleted_at is null and (w.enabled or d.is_test)) then 'skipped'
             when o.kind = 'released' then case when d.attempts > 1 then 'retrying' else 'pending' end
             when o."dueAt" is null then 'failed'
             else 'retrying'
           end,
           due_at = case
             when o.kind in ('failed', 'gone') and w.deleted_at is null and (w.enabled or d.is_test) then o."dueAt"
             when o.kind = 'released' and w.deleted_at is null and (w.enabled or d.is_test) then ${now}::timestamptz
           end,
           attempts = d.attempts - (o.kind = 'released')::integer,
           code = case when o.entry is null then d.code else (o.entry->>'code')::integer end,
           error = case when o.kind = 'released' then d.error else o.error end,
           attempt_log = case when o.entry is null then d.attempt_log else
             case when jsonb_array_length(d.attempt_log) >= ${ATTEMPT_LOG_MAX} then d.attempt_log - 0
                  else d.attempt_log end || jsonb_build_array(o.entry) end,
           -- Told twice, after a connection that broke at the commit, it counts once.
           claim = d.claim + 1, updated_at = ${now}
      from jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb)
             o (id bigint, "webhookId" integer, claim integer, kind text, "dueAt" timestamptz, entry jsonb, error text)
      join webhook w on w.id = o."webhookId"
     -- The array beside the join tells the planner how many rows it is about.
     where d.id = o.id and d.id = any(${outcomes.map(({ id }) => id)}::bigint[]) and d.claim = o.claim
    returning d.due_at
    )
    select graphile_worker.add_job('deliver-webhooks', run_at => due_at, priority => 10)
      from (select distinct due_at from recorded where due_at is not null) due`.execute(em.getKysely());
}

/**
 * Notes which targets have succeeded and which have only failed, by their ids. Resolves to the ids of those that have failed since
 * before `since`. Nothing is written for a target whose state is known, so the busy ones cost nothing.
 */
export async function noteTargets(
  em: EntityManager,
  { succeeded, failed }: { readonly succeeded: readonly number[]; readonly failed: readonly number[] },
  { now, since }: { readonly now: Date; readonly since: Date },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with changed as (
      update webhook w set failing_since = case when w.id = any(${failed}::integer[]) then ${now}::timestamptz end
       where w.id in (
         select id from webhook
          where (failing_since is not null and id = any(${succeeded}::integer[]))
             or (failing_since is null and id = any(${failed}::integer[]))
          order by id for no key update)
    )
    select w.id from webhook w
     where w.id = any(${failed}::integer[]) and w.enabled and w.failing_since <= ${since}`.execute(
    em.getKysely(),
  );
  return rows.map(({ id }) => id);
}
