import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

export interface LicenseCounts {
  /** Active and not expired. */
  readonly active: number;
  readonly expired: number;
  readonly suspended: number;
  readonly revoked: number;
}

export interface ValidationHour {
  readonly hour: Date;
  readonly valid: number;
  readonly failed: number;
}

/** From the noted differences, and from an index of what can expire: a million licenses cost no more than a few. */
export async function countLicenses(em: EntityManager, now: Date): Promise<LicenseCounts> {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, sum(difference)::integer as count from license_count group by status
    union all
    select 'expired', count(*)::integer from license where status = 'active' and expires_at <= ${now}`.execute(
    em.getKysely(),
  );
  const counts = Object.fromEntries(rows.map((row) => [row.status, row.count]));
  const { active = 0, expired = 0, suspended = 0, revoked = 0 } = counts;
  return { active: active - expired, expired, suspended, revoked };
}

export async function countOpenSessions(em: EntityManager, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from session where expires_at > ${now}`.execute(em.getKysely());
  return rows[0]?.count ?? 0;
}

/** Every hour from `from` to now, those without a validation too. */
export async function validationsByHour(em: EntityManager, from: Date, now: Date): Promise<ValidationHour[]> {
  const { rows } = await sql<{ hour: string; valid: string; failed: string }>`
    select hours.hour, coalesce(sum(v.count) filter (where v.code = 'VALID'), 0) as valid,
           coalesce(sum(v.count) filter (where v.code <> 'VALID'), 0) as failed
      from generate_series(date_trunc('hour', ${from}::timestamptz, 'UTC'), ${now}::timestamptz, '1 hour') hours (hour)
      left join validation_hour v on v.hour = hours.hour
     group by hours.hour order by hours.hour`.execute(em.getKysely());
  return rows.map((row) => ({
    hour: new Date(row.hour),
    valid: Number(row.valid),
    failed: Number(row.failed),
  }));
}

/** Adds the noted differences up. Exact beside anything that notes more, and beside itself. */
export async function addUpLicenseCounts(em: EntityManager): Promise<void> {
  await sql`
    with gone as (delete from license_count returning status, difference)
    insert into license_count select status, sum(difference) from gone group by status having sum(difference) <> 0
  `.execute(em.getKysely());
}

/** Forgets hours before `from`. */
export async function deleteValidationHours(em: EntityManager, from: Date): Promise<void> {
  await sql`delete from validation_hour where hour < ${from}`.execute(em.getKysely());
}
