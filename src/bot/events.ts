import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../platform/context.js';
import { emitEvent } from '../platform/events/emit.js';
import type { Emission } from '../platform/events/emit.js';
import { clientEvents } from './client/client.events.js';
import { commandEvents } from './commands/command.events.js';
import { embedEvents } from './embeds/embed.events.js';
import { messageTemplateEvents } from './messages/message-template.events.js';
import { moduleEvents } from './modules/module.events.js';
import { presenceEvents } from './presence/presence.events.js';
import { profileEvents } from './profile/profile.events.js';

/** Every event of the bot, one line a slice. */
export const botEvents = [
  ...clientEvents,
  ...commandEvents,
  ...embedEvents,
  ...messageTemplateEvents,
  ...moduleEvents,
  ...presenceEvents,
  ...profileEvents,
] as const;

export type BotEvent = (typeof botEvents)[number];

/** Announces a change in its own transaction: the gate, with the names that exist. */
export function emit(
  em: EntityManager,
  ctx: ActionContext,
  event: BotEvent,
  emission: Emission,
): Promise<void> {
  return emitEvent(em, ctx, event, emission);
}
