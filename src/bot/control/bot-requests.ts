import type { Moved } from '../client/bot-client.js';
import type { CommandsSynced } from '../commands/command-sync.service.js';
import type { SendArgs, SentMessage } from '../embeds/embed.service.js';
import type { PresenceChange } from '../presence/presence.rules.js';
import type { PresenceSet } from '../presence/presence.service.js';
import type { ProfileChange } from '../profile/profile.rules.js';
import type { ProfileSet } from '../profile/profile.service.js';

/** What the process that runs the bot can be asked to do. Arguments and results travel as JSON. */
export interface BotRequests {
  start: { args: object; result: Moved };
  stop: { args: object; result: Moved };
  restart: { args: object; result: Moved };
  presence: { args: PresenceChange; result: PresenceSet };
  profile: { args: ProfileChange; result: ProfileSet };
  send: { args: SendArgs; result: SentMessage };
  /** Makes a module what operators want. */
  module: { args: { readonly id: string }; result: object };
  sync: { args: object; result: CommandsSynced };
}

export type RequestKind = keyof BotRequests;

/** Told when something was asked for. */
export const REQUEST_TOPIC = 'bot.request';

/** Told when a request was answered. */
export function answerTopic(key: string): string {
  return `bot.answer:${key}`;
}
