import { defineEntity, p } from '@mikro-orm/core';

const MessageTemplateSchema = defineEntity({
  name: 'BotMessageTemplate',
  tableName: 'bot_message_template',
  properties: {
    /** Generated, or chosen by whoever wrote it first. */
    id: p.text().primary(),
    name: p.text(),
    channel: p.text().nullable().strictNullable(),
    content: p.text().nullable().strictNullable(),
    /** An `Embed`, as it was checked when it was written. */
    embed: p.json<Record<string, unknown>>().nullable().strictNullable(),
    /** Each a `Button`. */
    buttons: p.json<readonly Record<string, unknown>[]>(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class MessageTemplate extends MessageTemplateSchema.class {}

MessageTemplateSchema.setClass(MessageTemplate);
