import { defineEntity, p } from '@mikro-orm/core';

/** The one row of what holds for all commands. */
const CommandSettingsSchema = defineEntity({
  name: 'BotCommandSettings',
  tableName: 'bot_command_settings',
  properties: {
    id: p.integer().primary(),
    /** The global prefix. */
    prefix: p.text(),
    /** Of what the platform was last given; null: nothing yet. */
    syncedHash: p.text().nullable().strictNullable(),
    syncedApplication: p.text().nullable().strictNullable(),
    /** Where: `global`, or the id of a server. */
    syncedScope: p.text().nullable().strictNullable(),
    syncedAt: p.datetime().nullable().strictNullable(),
  },
});

export class CommandSettings extends CommandSettingsSchema.class {}

CommandSettingsSchema.setClass(CommandSettings);
