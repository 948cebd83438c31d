import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { lookupOf } from './license-key.rules.js';
import type { LicenseStanding } from './license-standing.rules.js';

type Row = Omit<LicenseStanding, 'expiresAt'> & { readonly expiresAt: Date | string | null };

/** How a license stands, by its key, however it was typed; undefined for an unknown key. */
export async function findLicenseStanding(
  em: EntityManager,
  key: string,
): Promise<LicenseStanding | undefined> {
  const lookup = lookupOf(key);
  // Postgres text can't hold U+0000, so no key has one.
  if (lookup.includes('\u0000')) return undefined;
  const { rows } = await sql<Row>`
    select l.id as "licenseId", l.status, l.expires_at as "expiresAt", u.status as "userStatus"
      from license l left join app_user u on u.id = l.user_id
     where l.lookup = ${lookup}`.execute(em.getKysely());
  const [row] = rows;
  return row && { ...row, expiresAt: row.expiresAt === null ? null : new Date(row.expiresAt) };
}
