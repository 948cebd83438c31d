import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';

/** A buyer, and what they bought something of. */
export interface AccountKey {
  readonly marketplace: string;
  readonly resourceId: string;
  readonly purchaserId: string;
}

/** The account of a purchase; null while only its refund was heard of, which need not say whose it was. */
export async function accountOf(em: EntityManager, purchaseId: number): Promise<AccountKey | null> {
  const { rows } = await sql<{ [Name in keyof AccountKey]: AccountKey[Name] | null }>`
    select marketplace, resource_id as "resourceId", purchaser_id as "purchaserId"
      from purchase where id = ${purchaseId}`.execute(em.getKysely());
  const { marketplace, resourceId, purchaserId } = rows[0] ?? {};
  if (marketplace == null || resourceId == null || purchaserId == null) return null;
  return { marketplace, resourceId, purchaserId };
}

/**
 * One change of an account at a time, until the transaction ends. Ahead of every row: who holds it goes on to users,
 * licenses and purchases, in this order, as a merge of users does.
 */
export async function lockAccount(em: EntityManager, key: AccountKey): Promise<void> {
  const name = JSON.stringify(['purchases', key.marketplace, key.resourceId, key.purchaserId]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(em.getKysely());
}

/** While somebody `reads` how a resource is mapped nobody `changes` it, so that no purchase fails unnoticed. */
export async function lockMappings(
  em: EntityManager,
  resourceId: string,
  purpose: 'read' | 'change',
): Promise<void> {
  const lock = sql.raw(purpose === 'read' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');
  const name = JSON.stringify(['marketplace mappings', resourceId]);
  await sql`select ${lock}(hashtextextended(${name}, 0))`.execute(em.getKysely());
}

/** The rows of a table that belong to an account. */
export function inAccount({ marketplace, resourceId, purchaserId }: AccountKey): RawBuilder<boolean> {
  return sql<boolean>`resource_id = ${resourceId} and purchaser_id = ${purchaserId} and marketplace = ${marketplace}`;
}

/** A timestamp as milliseconds, exact and of one type whatever the driver does with dates. */
export function millis(column: string): RawBuilder<number> {
  return sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;
}

/** How long a request has for doing itself what a job will do otherwise. */
const HEAD_START_SECONDS = 10;

/** Asks for these purchases' accounts to be settled by jobs, as part of the transaction. How many purchases they are. */
export async function enqueueSettling(em: EntityManager, purchases: RawBuilder<boolean>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with accounts as (
      select min(id) as id, count(*)::integer as count from purchase where ${purchases}
       group by resource_id, purchaser_id, marketplace, case when purchaser_id is null then id end
    ), jobs as (
      select count, graphile_worker.add_job('process-purchase', json_build_object('purchaseId', id),
               job_key := 'purchase:' || id) from accounts
    )
    select coalesce(sum(count), 0)::integer as count from jobs`.execute(em.getKysely());
  return rows[0]?.count ?? 0;
}

/** The job that settles a purchase if the request which stored it doesn't get to it. */
export async function enqueueInReserve(em: EntityManager, purchaseId: number): Promise<void> {
  await sql`
    select graphile_worker.add_job('process-purchase', json_build_object('purchaseId', ${purchaseId}::integer),
             run_at := now() + make_interval(secs => ${HEAD_START_SECONDS}), job_key := ${`purchase:${purchaseId}`})`.execute(
    em.getKysely(),
  );
}

/** The purchase is settled: nothing is left for its job. */
export async function dequeueSettling(em: EntityManager, purchaseId: number): Promise<void> {
  await sql`select graphile_worker.remove_job(${`purchase:${purchaseId}`})`.execute(em.getKysely());
}
