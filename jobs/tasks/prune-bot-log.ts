import { pruneLines } from '../../src/bot/logs/log.service.js';
import type { Handler } from '../task.js';

/** Deletes lines of the bot's console past their retention. */
export const pruneBotLogTask: Handler<'prune-bot-log'> = async (ctx) => {
  await pruneLines(ctx.em, ctx);
};
