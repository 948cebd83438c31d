import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { DomainError, InvalidField, NotFound, failure } from '../../platform/errors.js';
import { publishEvents } from '../../platform/events/emit.js';
import { emit } from '../events.js';
import { WebhookDelivery } from './webhook-delivery.entity.js';
import { lockEnded, sendAgain } from './webhook-delivery.repository.js';
import type { DeliveryFilter } from './webhook-delivery.repository.js';
import { findWebhookForUpdate } from './webhook.repository.js';
import { refOfWebhook, webhookData } from './webhook.service.js';

/** Most deliveries that one call sends again; who wants more calls again. */
const RETRY_MAX = 1000;

/**
 * Sends a delivery that has ended again, on a fresh schedule and under the `webhook-id` it had. 404
 * `WEBHOOK_DELIVERY_NOT_FOUND`; 409 `IN_USE` while it is still on its way, `WEBHOOK_DISABLED` when its target gets nothing.
 */
export async function retryDelivery(
  em: EntityManager,
  ctx: ActionContext,
  id: number,
): Promise<WebhookDelivery> {
  if ((await retryDeliveries(em, ctx, { ids: [id] })) === 0) {
    const delivery = await em.findOne(WebhookDelivery, { id });
    if (!delivery) throw new NotFound('webhook delivery', String(id));
    throw failure('IN_USE', `The delivery ${id} is ${delivery.status}: it has not ended yet`);
  }
  return em.findOneOrFail(WebhookDelivery, { id }, { refresh: true });
}

/**
 * The same for those of `ids`, or the oldest that another filter finds. Resolves to how many; those that have not ended
 * are left alone. 409 `WEBHOOK_DISABLED` when a target couldn't get its own.
 */
export async function retryDeliveries(
  em: EntityManager,
  ctx: ActionContext,
  filter: DeliveryFilter,
): Promise<number> {
  if (Object.values(filter).every((value) => value == null)) {
    throw new InvalidField('filter', 'must name what to send again');
  }
  if (filter.ids && filter.ids.length > RETRY_MAX) {
    throw new InvalidField('ids', `must be at most ${RETRY_MAX}; got ${filter.ids.length}`);
  }
  const deliveries = await lockEnded(em, filter, RETRY_MAX);
  const closed = deliveries.find(({ isOpen }) => !isOpen);
  if (closed) throw disabled(closed.webhook);
  const ids = deliveries.map(({ id }) => id);
  await sendAgain(em, ids, ctx.clock.now());
  return ids.length;
}

/**
 * Sends the target one `webhook.test`, whatever it has subscribed to and whether it is enabled or not. It is recorded
 * like any other delivery, and tried once: whoever tests wants to know now. 409 `WEBHOOK_INCOMPLETE` without a URL.
 */
export async function testWebhook(em: EntityManager, ctx: ActionContext, name: string): Promise<void> {
  const webhook = await findWebhookForUpdate(em, name);
  if (webhook.url === null) {
    throw new DomainError(
      'WEBHOOK_INCOMPLETE',
      409,
      'Webhook incomplete',
      `The webhook "${name}" has no url yet`,
    );
  }
  // Only its activity is for everyone: without data, no target that has subscribed is told of another one's test.
  await emit(em, ctx, 'webhook.test', { resource: refOfWebhook(webhook) });
  const data = JSON.stringify(webhookData(webhook, ctx));
  await publishEvents(em, 'webhook.test', ctx.clock.now(), [data], { target: webhook.id });
}

function disabled(webhook: string): DomainError {
  const message = `The webhook "${webhook}" is disabled or deleted and gets nothing; enable it first`;
  return new DomainError('WEBHOOK_DISABLED', 409, 'Webhook disabled', message);
}
