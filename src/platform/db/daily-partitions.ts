import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

const DAY_MS = 86_400_000;

interface Expiry {
  /** Its partitions are `<table>_YYYYMMDD`, UTC, and `<table>_default`. */
  readonly table: string;
  /** What it is partitioned by. */
  readonly column: string;
  readonly firstKept: Date;
}

/** Drops the days before that of `firstKept`, whole partitions at a time. Resolves to the partitions that went. */
export async function dropDaysBefore(
  em: EntityManager,
  { table, column, firstKept }: Expiry,
): Promise<string[]> {
  const name = `${table}_${dayOf(firstKept).replaceAll('-', '')}`;
  const { rows } = await sql<{ partition: string }>`
    select c.relname as partition from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = ${table}::regclass and c.relname ~ ${`^${table}_\\d{8}$`} and c.relname < ${name}
     order by c.relname`.execute(em.getKysely());
  for (const { partition } of rows) {
    await em.transactional(async (tx) => {
      // Dropping locks the whole table for a moment: rather later than making everybody wait behind a long query.
      await sql`set local lock_timeout = '2s'`.execute(tx.getKysely());
      await sql`drop table if exists ${sql.table(partition)}`.execute(tx.getKysely());
    });
  }
  // Rows of days that nobody had made a partition for.
  await sql`
    delete from ${sql.table(`${table}_default`)} where ${sql.ref(column)} < ${dayOf(firstKept)}::date`.execute(
    em.getKysely(),
  );
  return rows.map((row) => row.partition);
}

export function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}

/** `2026-01-15`, UTC. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
