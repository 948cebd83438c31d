import { LockMode } from '@mikro-orm/core';
import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { findPage } from '../../platform/db/page.js';
import type { PageRequest, RowPage } from '../../platform/db/page.js';
import { NotFound } from '../../platform/errors.js';
import { Webhook } from './webhook.entity.js';

export interface WebhookFilter {
  readonly name?: string | null;
  readonly enabled?: boolean | null;
  /** Has this very word in its list. */
  readonly event?: string | null;
}

/** Targets that are not deleted. */
export async function findWebhooks(
  em: EntityManager,
  filter: WebhookFilter,
  request: PageRequest,
): Promise<RowPage<Webhook>> {
  const all: FilterQuery<Webhook>[] = [{ deletedAt: null }];
  if (filter.name != null) all.push({ name: filter.name });
  if (filter.enabled != null) all.push({ enabled: filter.enabled });
  if (filter.event != null) all.push({ events: { $contains: [filter.event] } });
  return findPage(em, Webhook, { $and: all }, request);
}

/** Throws `WEBHOOK_NOT_FOUND`. Locked, so that two changes at once don't undo each other. */
export async function findWebhookForUpdate(em: EntityManager, name: string): Promise<Webhook> {
  const webhook = await em.findOne(
    Webhook,
    { name, deletedAt: null },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!webhook) throw new NotFound('webhook', name);
  return webhook;
}

/** An id for a new target, and a name after it that no target has: `webhook-7`. */
export async function nextWebhookName(em: EntityManager): Promise<{ id: number; name: string }> {
  const { rows } = await sql<{ id: number; name: string; taken: boolean }>`
    select next.id, 'webhook-' || next.id as name,
           exists (select from webhook w where w.name = 'webhook-' || next.id and w.deleted_at is null) as taken
      from (select nextval(pg_get_serial_sequence('webhook', 'id'))::integer as id) next`.execute(
    em.getKysely(),
  );
  const [next] = rows;
  if (!next) throw new Error('nextval gave no row');
  return next.taken ? nextWebhookName(em) : { id: next.id, name: next.name };
}
