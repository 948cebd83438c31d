import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';

/** How many days ahead partitions exist, so that a worker may be away for a while. */
const DAYS_AHEAD = 7;
const DAY_MS = 86_400_000;

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

async function dropBefore(em: EntityManager, log: string, firstKept: Date): Promise<string[]> {
  const name = `${log}_${dayOf(firstKept).replaceAll('-', '')}`;
  const { rows } = await sql<{ partition: string }>`
    select c.relname as partition from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = ${log}::regclass and c.relname ~ ${`^${log}_\\d{8}$`} and c.relname < ${name}
     order by c.relname`.execute(em.getKysely());
  for (const { partition } of rows) {
    await em.transactional(async (tx) => {
      // Dropping locks the whole log for a moment: rather later than making everybody wait behind a long query.
      await sql`set local lock_timeout = '2s'`.execute(tx.getKysely());
      await sql`drop table if exists ${sql.table(partition)}`.execute(tx.getKysely());
    });
  }
  // Rows of days that nobody had made a partition for.
  await sql`delete from ${sql.table(`${log}_default`)} where created_at < ${dayOf(firstKept)}::date`.execute(
    em.getKysely(),
  );
  return rows.map((row) => row.partition);
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
