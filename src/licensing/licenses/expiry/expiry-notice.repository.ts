import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** A license whose expiry is news: it is near, or it has come. */
export interface ExpiryNotice {
  readonly licenseId: number;
  readonly key: string;
  readonly event: 'license.expiring' | 'license.expired';
}

/**
 * Takes up to `limit` announcements that are due and nobody else is just taking, and sets what comes next (see
 * `expiry_notice_at` in the migrations). The caller announces them in the same transaction.
 *
 * Suspended and revoked licenses are left alone; one that is reinstated is taken then.
 */
export async function takeExpiryNotices(
  em: EntityManager,
  now: Date,
  limit: number,
): Promise<ExpiryNotice[]> {
  const { rows } = await sql<ExpiryNotice>`
    with due as (
      select id from license where status = 'active' and expiry_notice_at <= ${now}
       order by expiry_notice_at limit ${limit} for no key update skip locked
    )
    update license l
       set expiry_notice_at = case when l.expires_at > ${now} then l.expires_at end
      from due where l.id = due.id
    returning l.id as "licenseId", l.key,
              case when l.expires_at > ${now} then 'license.expiring' else 'license.expired' end as event`.execute(
    em.getKysely(),
  );
  return rows;
}
