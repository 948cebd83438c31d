import type { EntityManager } from '@mikro-orm/postgresql';
import { askBot } from '../control/control.service.js';
import type { ControlContext } from '../control/control.service.js';
import type { Moved } from './bot-client.js';

/** Connects the bot, and answers when it is, or why it can't be. Remembered: it is started again with the process. */
export function startBot(em: EntityManager, ctx: ControlContext): Promise<Moved> {
  return askBot(em, ctx, 'start', {});
}

/** Disconnects the bot, within 5 s. Remembered: it stays so until it is started. */
export function stopBot(em: EntityManager, ctx: ControlContext): Promise<Moved> {
  return askBot(em, ctx, 'stop', {});
}

/** Ends the session and begins a new one. */
export function restartBot(em: EntityManager, ctx: ControlContext): Promise<Moved> {
  return askBot(em, ctx, 'restart', {});
}
