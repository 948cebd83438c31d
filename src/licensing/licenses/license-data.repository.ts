import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { dataTogether } from '../../platform/events/emit.js';
import type { EventData } from '../../platform/events/emit.js';
import { shownWhitelists, whitelistEntriesOf } from './whitelists/license-whitelist.repository.js';

/** Licenses as REST returns them, by id; two statements for any number. For events: their keys are whole. */
export async function licensesData(
  em: EntityManager,
  ids: readonly number[],
): Promise<Map<number, EventData>> {
  const { rows } = await sql<Row>`
    select l.id, l.key, p.name as product, c.name as customer, u.user_id, l.status,
           ${millis('expires_at')} as expires_at, l.seats, l.note,
           array(select a.name from license_addon la join addon a on a.id = la.addon_id
                  where la.license_id = l.id order by a.name) as addons,
           ${millis('created_at')} as created_at, ${millis('updated_at')} as updated_at
      from license l left join product p on p.id = l.product_id left join customer c on c.id = l.customer_id
           left join app_user u on u.id = l.user_id
     where l.id = any(${ids})`.execute(em.getKysely());
  const lists = await whitelistEntriesOf(em, ids);
  return new Map(
    rows.map(({ created_at, updated_at, ...license }) => [
      license.id,
      {
        ...license,
        expires_at: license.expires_at === null ? null : new Date(license.expires_at),
        whitelists: shownWhitelists(lists.get(license.id) ?? []),
        createdAt: new Date(created_at),
        updatedAt: new Date(updated_at),
      },
    ]),
  );
}

/** What many announcements of licenses show, had together when somebody wants it: `dataOf(id)`. */
export function licensesDataTogether(em: EntityManager, ids: readonly number[]) {
  return dataTogether(() => licensesData(em, ids));
}

/** What an announcement of one license shows. */
export function licenseData(em: EntityManager, id: number): () => Promise<EventData> {
  return licensesDataTogether(em, [id])(id);
}

interface Row {
  readonly id: number;
  readonly expires_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

function millis(column: string) {
  return sql<number>`(extract(epoch from ${sql.ref(`l.${column}`)}) * 1000)::float8`;
}
