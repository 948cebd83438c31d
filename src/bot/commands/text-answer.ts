import type { Message } from 'discord.js';
import type { OutgoingMessage } from '../messages/outgoing-message.js';
import { platformMessage } from '../messages/platform-message.js';

const NOT_HERE = "I can't send you a direct message, and the answer is for you alone: use the slash command.";

/**
 * Answers a message that called a command. What is for the caller alone goes as a direct message, since everyone reads
 * the channel.
 */
export async function answerText(
  message: Message,
  answer: OutgoingMessage,
  { ephemeral }: { readonly ephemeral: boolean },
): Promise<void> {
  const payload = platformMessage(answer);
  if (!ephemeral || message.guildId === null) {
    await message.reply(payload);
    return;
  }
  try {
    await message.author.send(payload);
  } catch {
    // Whoever takes no direct messages from the server can't be reached otherwise.
    await message.reply(platformMessage({ content: NOT_HERE }));
  }
}
