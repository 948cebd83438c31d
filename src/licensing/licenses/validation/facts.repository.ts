import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { LicenseFacts } from './facts.js';

type Row = Omit<LicenseFacts, 'expiresAt'> & { readonly expiresAt: string | null };

/** The facts of a license by the normal form of its key, in one statement; undefined for an unknown key. */
export async function loadFacts(em: EntityManager, lookup: string): Promise<LicenseFacts | undefined> {
  // Postgres text can't hold U+0000, so no key has one.
  if (lookup.includes('\u0000')) return undefined;
  const { rows } = await sql<Row>`
    select l.id as "licenseId", l.key, l.status, l.expires_at as "expiresAt", l.seats,
           p.name as product, c.name as customer, p.session_ttl as "sessionTtl",
           array(select a.name from license_addon la join addon a on a.id = la.addon_id
                  where la.license_id = l.id order by a.name) as addons
      from license l
      left join product p on p.id = l.product_id
      left join customer c on c.id = l.customer_id
     where l.lookup = ${lookup}`.execute(em.getKysely());
  const [row] = rows;
  return row && { ...row, expiresAt: row.expiresAt === null ? null : new Date(row.expiresAt) };
}
