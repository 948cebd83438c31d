import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';
import { dayOf, daysBefore, dropDaysBefore } from '../../platform/db/daily-partitions.js';

/** How many days ahead partitions exist, so that a worker may be away for a while. */
const DAYS_AHEAD = 7;

/** Makes the partitions of the coming days. Safe at any time and from many processes: a lock serialises them. */
export async function maintainLogPartitions(em: EntityManager, ctx: ActionContext): Promise<void> {
  const today = dayOf(ctx.clock.now());
  await sql`select ensure_log_partitions(${today}::date, ${DAYS_AHEAD}::integer)`.execute(em.getKysely());
}

/** Drops the days past their retention, whole partitions at a time. Resolves to the partitions that went. */
export async function dropOldLogs(em: EntityManager, ctx: ActionContext): Promise<string[]> {
  const { requestRetentionDays, activityRetentionDays } = ctx.settings.logs;
  return [
    ...(await dropBefore(em, 'request_log', daysBefore(ctx.clock.now(), requestRetentionDays))),
    ...(await dropBefore(em, 'activity', daysBefore(ctx.clock.now(), activityRetentionDays))),
  ];
}

function dropBefore(em: EntityManager, table: string, firstKept: Date): Promise<string[]> {
  return dropDaysBefore(em, { table, column: 'created_at', firstKept });
}
