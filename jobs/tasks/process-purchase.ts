import { settlePurchase } from '../../src/licensing/marketplace/settle-purchase.service.js';
import type { Handler } from '../task.js';

/** Makes of a purchase what all that was heard of it amounts to; most often it finds that done. */
export const processPurchaseTask: Handler<'process-purchase'> = async (ctx, { purchaseId }) => {
  await ctx.em.transactional((em) => settlePurchase(em, ctx, purchaseId));
};
