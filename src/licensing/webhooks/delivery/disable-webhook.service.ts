import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import { emit } from '../../events.js';
import { skipWaiting } from '../webhook-delivery.repository.js';
import { Webhook } from '../webhook.entity.js';
import { refOfWebhook, webhookData } from '../webhook.service.js';

/** Why the program itself disables a target. */
export type DisableReason = 'GONE' | 'FAILING';

/** Disables a target that wants no more (410) or has failed for days, and tells everyone else. Twice is once. */
export async function disableWebhook(
  em: EntityManager,
  ctx: ActionContext,
  id: number,
  reason: DisableReason,
): Promise<void> {
  await em.transactional(async (tx) => {
    const webhook = await tx.findOne(Webhook, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!webhook?.enabled) return;
    const now = ctx.clock.now();
    webhook.enabled = false;
    webhook.updatedAt = now;
    await tx.flush();
    await skipWaiting(tx, id, now);
    await emit(tx, ctx, 'webhook.disabled', {
      resource: refOfWebhook(webhook),
      changes: { enabled: [true, false] },
      data: { ...webhookData(webhook, ctx), reason },
    });
  });
}
