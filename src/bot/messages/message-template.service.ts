import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { flushUnique } from '../../platform/db/flush-unique.js';
import { AlreadyExists, InvalidField, NotFound, show } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import { randomText } from '../../platform/random.js';
import { emit } from '../events.js';
import { MessageTemplate } from './message-template.entity.js';
import { findTemplates, lockTemplate } from './message-template.repository.js';
import { checkMessage, isSnowflake } from './outgoing-message.js';
import type { Button, Embed, OutgoingMessage } from './outgoing-message.js';

/** A saved message; `content` and the texts of the embed may hold placeholders. */
export interface TemplateView {
  readonly id: string;
  readonly name: string;
  /** Where it is usually sent; null: anywhere. */
  readonly channel: string | null;
  readonly content: string | null;
  readonly embed: Embed | null;
  readonly buttons: readonly Button[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface TemplateWrite {
  /** Absent: a new one. */
  readonly id?: string | null;
  readonly name?: string | null;
  readonly channel?: string | null;
  readonly content?: string | null;
  readonly embed?: Embed | null;
  readonly buttons?: readonly Button[] | null;
}

const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

export async function listTemplates(em: EntityManager): Promise<TemplateView[]> {
  return (await findTemplates(em)).map(viewOf);
}

/** A template as a message; undefined when there is none. */
export async function findTemplate(em: EntityManager, id: string): Promise<OutgoingMessage | undefined> {
  const template = await em.findOne(MessageTemplate, { id });
  return template ? messageOf(template) : undefined;
}

export function messageOf(template: MessageTemplate): OutgoingMessage {
  const { content, embed, buttons } = viewOf(template);
  return { content, embed, buttons };
}

/**
 * Creates a template, or with an `id` that exists changes what is given. The whole must be a message that could be
 * sent. Throws `ALREADY_EXISTS` when the name is another's.
 */
export async function writeTemplate(
  em: EntityManager,
  ctx: ActionContext,
  write: TemplateWrite,
): Promise<TemplateView & { readonly isNew: boolean }> {
  const id = write.id ?? `tpl_${randomText(ID_ALPHABET, 16)}`;
  if (!/^[\w-]{1,64}$/.test(id)) {
    throw new InvalidField('id', `must have 1–64 letters, digits, _ and -; got ${show(id)}`);
  }
  if (write.channel != null && !isSnowflake(write.channel)) {
    throw new InvalidField('channel', `must be the id of a channel; got ${show(write.channel)}`);
  }
  const existing = await lockTemplate(em, id);
  const template = existing ?? newTemplate(em, ctx, id);
  const before = existing ? fieldsOf(existing) : {};
  if (write.name != null) template.name = write.name;
  if (template.name === '') throw new InvalidField('name', 'is required');
  if (write.channel !== undefined) template.channel = write.channel;
  if (write.content !== undefined) template.content = write.content;
  if (write.embed !== undefined) template.embed = write.embed && asJson(write.embed);
  if (write.buttons !== undefined) template.buttons = (write.buttons ?? []).map(asJson);
  checkMessage(messageOf(template));
  const changes = diff(before, fieldsOf(template));
  if (Object.keys(changes).length === 0) return { ...viewOf(template), isNew: false };
  if (existing) template.updatedAt = ctx.clock.now();
  await flushUnique(em, () => new AlreadyExists('message template', template.name));
  await emit(em, ctx, existing ? 'bot.template.updated' : 'bot.template.created', {
    ...{ resource: { type: 'bot_template', id }, changes },
    data: { ...viewOf(template) },
  });
  return { ...viewOf(template), isNew: existing === null };
}

/** Throws `MESSAGE_TEMPLATE_NOT_FOUND`. A module that refers to it goes on without. */
export async function deleteTemplate(em: EntityManager, ctx: ActionContext, id: string): Promise<void> {
  const template = await lockTemplate(em, id);
  if (!template) throw new NotFound('message template', id);
  em.remove(template);
  await em.flush();
  await emit(em, ctx, 'bot.template.deleted', {
    resource: { type: 'bot_template', id },
    data: { ...viewOf(template) },
  });
}

function newTemplate(em: EntityManager, ctx: ActionContext, id: string): MessageTemplate {
  const now = ctx.clock.now();
  const empty = { name: '', channel: null, content: null, embed: null, buttons: [] };
  const template = em.create(MessageTemplate, { id, ...empty, createdAt: now, updatedAt: now });
  em.persist(template);
  return template;
}

/** As JSON has it: dates as text, and no members that are absent. */
function asJson(value: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

function fieldsOf({ name, channel, content, embed, buttons }: MessageTemplate): Record<string, unknown> {
  return { name, channel, content, embed, buttons };
}

function viewOf(template: MessageTemplate): TemplateView {
  const { id, name, channel, content, embed, buttons, createdAt, updatedAt } = template;
  return {
    ...{ id, name, channel, content, createdAt, updatedAt },
    embed: embed,
    buttons: buttons as unknown as Button[],
  };
}
