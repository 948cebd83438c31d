import { forgetOldDeliveries } from '../../src/licensing/webhooks/delivery/delivery-retention.service.js';
import type { Handler } from '../task.js';

/** Forgets webhook deliveries and events past their retention. */
export const forgetDeliveriesTask: Handler<'forget-deliveries'> = async (ctx) => {
  const forgotten = await forgetOldDeliveries(ctx.em, ctx);
  if (forgotten.deliveries > 0) ctx.log.info(forgotten, 'webhook deliveries past their retention are gone');
};
