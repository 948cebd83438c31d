import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { NotFound } from '../../platform/errors.js';
import { findBot } from '../status/bot.repository.js';
import { findTemplateByIdOrName } from './message-template.repository.js';
import { messageOf } from './message-template.service.js';
import type { OutgoingMessage } from './outgoing-message.js';
import { fillPlaceholders } from './placeholders.rules.js';

/**
 * A saved template, by id or name, as a message to a channel: what is given replaces what the template has, and
 * placeholders are filled in; `{user}` stays, since there is none. Throws `MESSAGE_TEMPLATE_NOT_FOUND`.
 */
export async function messageFromTemplate(
  em: EntityManager,
  ctx: ActionContext,
  { template, channel, ...given }: OutgoingMessage & { readonly template: string; readonly channel: string },
): Promise<OutgoingMessage> {
  const found = await findTemplateByIdOrName(em, template);
  if (!found) throw new NotFound('message template', template);
  const { serverName } = await findBot(em);
  const base = fillPlaceholders(messageOf(found), {
    channel: `<#${channel}>`,
    date: ctx.clock.now().toISOString().slice(0, 10),
    ...(serverName !== null && { server: serverName }),
  });
  const own = Object.entries(given).filter(([, value]) => value != null);
  return { ...base, ...(Object.fromEntries(own) as OutgoingMessage) };
}
