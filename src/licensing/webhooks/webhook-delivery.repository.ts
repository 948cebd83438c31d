import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { findPage } from '../../platform/db/page.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import { eventTime } from './event-id.rules.js';
import { WebhookDelivery } from './webhook-delivery.entity.js';
import type { DeliveryStatus } from './webhook-delivery.entity.js';
import { ENDED_STATUSES, WAITING_STATUSES } from './webhook-delivery.states.js';

export interface DeliveryFilter {
  readonly ids?: readonly number[] | null;
  /** Name of a target, a deleted one's too. */
  readonly webhook?: string | null;
  readonly event?: string | null;
  /** The header `webhook-id`. */
  readonly eventId?: string | null;
  readonly status?: DeliveryStatus | null;
  /** The HTTP status of the last attempt. */
  readonly code?: number | null;
  readonly createdAfter?: Date | null;
  readonly createdBefore?: Date | null;
}

function conditionOf(filter: DeliveryFilter): FilterQuery<WebhookDelivery> {
  const all: FilterQuery<WebhookDelivery>[] = [];
  if (filter.ids != null) all.push({ id: { $in: [...filter.ids] } });
  if (filter.webhook != null) all.push({ webhook: { name: filter.webhook } });
  if (filter.event != null) all.push({ event: filter.event });
  if (filter.eventId != null) all.push(ofEvent(filter.eventId));
  if (filter.status != null) all.push({ status: filter.status });
  if (filter.code != null) all.push({ code: filter.code });
  if (filter.createdAfter != null) all.push({ createdAt: { $gt: filter.createdAfter } });
  if (filter.createdBefore != null) all.push({ createdAt: { $lt: filter.createdBefore } });
  return { $and: all };
}

/** There is an index on moments and none on ids of events; a delivery is of the moment of its event. */
function ofEvent(eventId: string): FilterQuery<WebhookDelivery> {
  const createdAt = eventTime(eventId);
  return createdAt ? { eventId, createdAt } : { id: { $in: [] } };
}

export function findDeliveries(
  em: EntityManager,
  filter: DeliveryFilter,
  request: PageRequest,
): Promise<RowPage<WebhookDelivery>> {
  return findPage(em, WebhookDelivery, conditionOf(filter), request);
}

/** What a target that was disabled or deleted was to get, it doesn't get. A test is none of it. */
export async function skipWaiting(em: EntityManager, webhookId: number, now: Date): Promise<void> {
  await sql`
    update webhook_delivery set status = 'skipped', due_at = null, updated_at = ${now}
     where webhook_id = ${webhookId} and status = any(${[...WAITING_STATUSES]}::text[]) and not is_test`.execute(
    em.getKysely(),
  );
}

/** A delivery that somebody wants sent again, and whether its target can get it. */
export interface RetryCandidate {
  readonly id: number;
  readonly webhook: string;
  readonly isOpen: boolean;
}

/** The first deliveries of these that have ended, oldest first, locked. */
export async function lockEnded(
  em: EntityManager,
  filter: DeliveryFilter,
  limit: number,
): Promise<RetryCandidate[]> {
  const found = await em.find(
    WebhookDelivery,
    { $and: [conditionOf(filter), { status: { $in: [...ENDED_STATUSES] } }] },
    { orderBy: { id: 'asc' }, limit, fields: ['id'] },
  );
  const { rows } = await sql<RetryCandidate>`
    select d.id::float8 as id, w.name as webhook, w.enabled as "isOpen"
      from webhook_delivery d join webhook w on w.id = d.webhook_id
     where d.id = any(${found.map(({ id }) => id)}::bigint[]) and d.status = any(${[...ENDED_STATUSES]}::text[])
     order by d.id for update of d`.execute(em.getKysely());
  return rows;
}

/** A fresh schedule under the same `webhook-id`. What was tried before stays in the log of attempts. */
export async function sendAgain(em: EntityManager, ids: readonly number[], now: Date): Promise<void> {
  await sql`
    with again as (
      update webhook_delivery
         set status = 'pending', attempts = 0, due_at = ${now}, code = null, error = null, is_test = false,
             updated_at = ${now}
       where id = any(${ids}::bigint[]) and status = any(${[...ENDED_STATUSES]}::text[])
      returning id
    )
    select graphile_worker.add_job('deliver-webhooks', priority => 10) from again limit 1`.execute(
    em.getKysely(),
  );
}

/** The body that each event is sent as, by the event's id; one that is past its retention is absent. */
export async function bodiesOf(em: EntityManager, eventIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; body: string }>`
    select id, body from webhook_event where id = any(${eventIds}::text[])`.execute(em.getKysely());
  return new Map(rows.map(({ id, body }) => [id, body]));
}
