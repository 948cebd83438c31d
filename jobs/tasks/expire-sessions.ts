import { expireSessions } from '../../src/licensing/sessions/session.service.js';
import type { Handler } from '../task.js';

/** Removes sessions whose time is over, batch after batch, and announces `session.expired` for each. */
export const expireSessionsTask: Handler<'expire-sessions'> = async (ctx) => {
  let isFull = true;
  while (isFull) ({ isFull } = await expireSessions(ctx.em, ctx));
};
