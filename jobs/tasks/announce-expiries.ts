import { announceExpiries } from '../../src/licensing/licenses/expiry/expiry-notice.service.js';
import type { Handler } from '../task.js';

/** Announces licenses that are about to expire, and those that have, batch after batch. */
export const announceExpiriesTask: Handler<'announce-expiries'> = async (ctx) => {
  let isFull = true;
  while (isFull) ({ isFull } = await announceExpiries(ctx.em, ctx));
};
