import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ActionContext } from '../../platform/context.js';

/** How many days ahead partitions exist, so that a worker may be away for a while. */
const DAYS_AHEAD = 7;

/** Makes the partitions of the coming days. Safe at any time and from many processes: a lock serialises them. */
export async function maintainLogPartitions(em: EntityManager, ctx: ActionContext): Promise<void> {
  const today = ctx.clock.now().toISOString().slice(0, 10);
  await sql`select ensure_log_partitions(${today}::date, ${DAYS_AHEAD}::integer)`.execute(em.getKysely());
}
