import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/**
 * Tells the subscribers of these topics, on any gateway, once the transaction has committed; with nobody subscribed it
 * costs a look at a tiny table. `payload` carries ids, and less than 8000 bytes as JSON. In SQL it is `notify_live`.
 */
export async function publish(
  em: EntityManager,
  topics: readonly string[],
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  await sql`select notify_live(${topics}::text[], ${JSON.stringify(payload)}::jsonb)`.execute(em.getKysely());
}
