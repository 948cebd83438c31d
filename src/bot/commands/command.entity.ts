import { defineEntity, p } from '@mikro-orm/core';

/** What an operator has set of a command; null: as its module declares it. */
const BotCommandSchema = defineEntity({
  name: 'BotCommand',
  tableName: 'bot_command',
  properties: {
    name: p.text().primary(),
    enabled: p.boolean().nullable().strictNullable(),
    slash: p.boolean().nullable().strictNullable(),
    prefix: p.boolean().nullable().strictNullable(),
    mention: p.boolean().nullable().strictNullable(),
    customPrefix: p.text().nullable().strictNullable(),
    /** `group name`, or the name alone. */
    disabledSubcommands: p.array(),
    /** Some of `CommandRules`. */
    rules: p.json<Record<string, unknown>>(),
    updatedAt: p.datetime(),
  },
});

export class BotCommand extends BotCommandSchema.class {}

BotCommandSchema.setClass(BotCommand);
