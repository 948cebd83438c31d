import type { MessageReplyOptions } from 'discord.js';
import { checkMessage, messageBody } from './outgoing-message.js';
import type { OutgoingMessage } from './outgoing-message.js';

/** A message as the chat library takes it, for answers. Throws 422 for what the platform would not take. */
export function platformMessage(message: OutgoingMessage): MessageReplyOptions {
  checkMessage(message);
  const { allowed_mentions: allowedMentions, ...body } = messageBody(message) as { allowed_mentions: object };
  return { ...body, allowedMentions };
}
