import { randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { InvalidField, show } from '../../platform/errors.js';
import type { Connection } from '../client/connection.js';
import { askBot } from '../control/control.service.js';
import type { ControlContext } from '../control/control.service.js';
import { emit } from '../events.js';
import { messageFromTemplate } from '../messages/message-from-template.service.js';
import { checkMessage, isSnowflake, messageBody } from '../messages/outgoing-message.js';
import type { OutgoingMessage } from '../messages/outgoing-message.js';

export interface SendInput extends OutgoingMessage {
  /** The channel's id. */
  readonly channel: string;
  /** A saved template to start from, by id or name. */
  readonly template?: string | null | undefined;
}

/** A message that was checked, in the platform's own terms. */
export interface SendArgs {
  readonly channel: string;
  readonly body: object;
}

export interface SentMessage {
  readonly messageId: string;
  readonly channel: string;
  /** Where people see it. */
  readonly url: string;
}

const SEND_MS = 10_000;

/**
 * Sends a message to a channel. Throws 422 for what the platform would not take, `CHANNEL_NOT_FOUND`,
 * `CHANNEL_NOT_SENDABLE`, `BOT_NOT_RUNNING`, and `PLATFORM_TIMEOUT` after 10 s.
 */
export async function sendMessage(
  em: EntityManager,
  ctx: ControlContext,
  input: SendInput,
): Promise<SentMessage> {
  const { channel, template, ...given } = input;
  if (!isSnowflake(channel))
    throw new InvalidField('channel', `must be the id of a channel; got ${show(channel)}`);
  const message =
    template == null ? given : await messageFromTemplate(em, ctx, { ...given, template, channel });
  checkMessage(message);
  return askBot(em, ctx, 'send', { channel, body: messageBody(message) });
}

/** The same where the bot runs. */
export async function deliverMessage(
  em: EntityManager,
  ctx: ActionContext,
  connection: Connection,
  { channel, body }: SendArgs,
): Promise<SentMessage> {
  let id: string;
  try {
    // By the nonce the platform knows a request that is sent twice, since its answer got lost.
    const nonce = randomBytes(12).toString('hex');
    const sent = await connection.rest.post(`/channels/${channel}/messages`, {
      body: { ...body, nonce, enforce_nonce: true },
      signal: AbortSignal.timeout(SEND_MS),
    });
    ({ id } = sent as { id: string });
  } catch (error) {
    throw connection.failureOf(error);
  }
  const found = connection.client.channels.cache.get(channel);
  const server = found && 'guildId' in found ? found.guildId : '@me';
  const url = `https://discord.com/channels/${server}/${channel}/${id}`;
  const message: SentMessage = { messageId: id, channel, url };
  await em.transactional((tx) =>
    emit(tx, ctx, 'bot.message.sent', { resource: { type: 'channel', id: channel }, data: { ...message } }),
  );
  return message;
}
