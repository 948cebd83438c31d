import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** What a worker runs on a schedule. */
export interface CronJobRow {
  readonly task: string;
  /** Minute, hour, day, month, weekday; UTC. */
  readonly schedule: string;
  readonly maxAttempts: number;
}

export async function findCronRows(em: EntityManager): Promise<CronJobRow[]> {
  const { rows } = await sql<CronJobRow>`
    select task, schedule, max_attempts as "maxAttempts" from cron_job order by task`.execute(em.getKysely());
  return rows;
}

export async function findCronRow(em: EntityManager, task: string): Promise<CronJobRow | undefined> {
  return (await findCronRows(em)).find((row) => row.task === task);
}

/** Makes these all there are. Workers that start at once take turns, and the last one's stand. */
export async function replaceCronRows(
  em: EntityManager,
  rows: readonly CronJobRow[],
  now: Date,
): Promise<void> {
  const all = <T>(of: (row: CronJobRow) => T) => rows.map(of);
  await em.transactional(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('cron_job'))`.execute(tx.getKysely());
    await sql`delete from cron_job where task <> all(${all((row) => row.task)}::text[])`.execute(
      tx.getKysely(),
    );
    await sql`
      insert into cron_job (task, schedule, max_attempts, registered_at)
      select task, schedule, max_attempts, ${now}
        from unnest(${all((row) => row.task)}::text[], ${all((row) => row.schedule)}::text[],
                    ${all((row) => row.maxAttempts)}::smallint[]) given (task, schedule, max_attempts)
      on conflict (task) do update
        set schedule = excluded.schedule, max_attempts = excluded.max_attempts, registered_at = excluded.registered_at
    `.execute(tx.getKysely());
  });
}
