import { licensingEvents } from '../events.js';
import { webhookChanges } from './webhook.events.js';

/** What the bot announces. It is a context of its own: its names are all that is known of it here, and a test compares them. */
const BOT_EVENTS = [
  ...['bot.started', 'bot.stopped', 'bot.failed', 'bot.message.sent', 'bot.logging.updated'],
  ...['bot.commands.updated', 'bot.commands.synced', 'bot.presence.updated', 'bot.profile.updated'],
  ...['bot.template.created', 'bot.template.updated', 'bot.template.deleted'],
  ...['bot.module.enabled', 'bot.module.disabled', 'bot.module.configured', 'bot.module.failed'],
];

const UNTOLD: ReadonlySet<string> = new Set(webhookChanges);

/** Every event that targets are told of, by name. */
const EVENT_NAMES = [...licensingEvents, ...BOT_EVENTS].filter((name) => !UNTOLD.has(name)).toSorted();

/** Every word a target's list may hold: events, kinds of events (`license.*`) and everything (`*`). */
export const SUBSCRIPTION_WORDS: ReadonlySet<string> = new Set([
  '*',
  ...EVENT_NAMES.map((name) => name.replace(/[^.]+$/, '*')),
  ...EVENT_NAMES,
]);

/** The words that name nothing, in the order given. */
export function unknownWords(words: readonly string[]): string[] {
  return words.filter((word) => !SUBSCRIPTION_WORDS.has(word));
}
