import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import { deleteOldDeliveries, deleteOldEvents, deleteOldTargets } from './delivery-retention.repository.js';

/** Events outlive their deliveries, so that whatever is still on its way has its body. */
const EVENTS_LONGER_DAYS = 7;

/** What was forgotten. */
export interface Forgotten {
  readonly deliveries: number;
  readonly events: number;
  readonly targets: number;
}

/** Forgets ended deliveries that are past their retention, then events and deleted targets nothing refers to. */
export async function forgetOldDeliveries(em: EntityManager, ctx: ActionContext): Promise<Forgotten> {
  const { retentionDays } = ctx.settings.webhooks;
  const daysAgo = (days: number) => new Date(ctx.clock.now().getTime() - days * 86_400_000);
  return {
    deliveries: await deleteOldDeliveries(em, daysAgo(retentionDays)),
    events: await deleteOldEvents(em, daysAgo(retentionDays + EVENTS_LONGER_DAYS)),
    targets: await deleteOldTargets(em),
  };
}
