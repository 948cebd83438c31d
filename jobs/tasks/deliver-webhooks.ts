import type { Handler } from '../task.js';

/**
 * Something is due to be sent. The job only says so: sending takes as long as somebody else's server does, which must
 * not hold one of the worker's few places.
 */
export const deliverWebhooksTask: Handler<'deliver-webhooks'> = (ctx) => {
  ctx.deliverWebhooks();
  return Promise.resolve();
};
