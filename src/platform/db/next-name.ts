import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** An id for a new row of the table, and a name after it that no row has: `rule-7`. */
export async function nextName(em: EntityManager, table: string): Promise<{ id: number; name: string }> {
  for (;;) {
    const { rows } = await sql<{ id: number; name: string; taken: boolean }>`
      select next.id, ${table} || '-' || next.id as name,
             exists (select from ${sql.table(table)} row where row.name = ${table} || '-' || next.id) as taken
        from (select nextval(pg_get_serial_sequence(${table}, 'id'))::integer as id) next`.execute(
      em.getKysely(),
    );
    const [next] = rows;
    if (!next) throw new Error('nextval gave no row');
    if (!next.taken) return { id: next.id, name: next.name };
  }
}
