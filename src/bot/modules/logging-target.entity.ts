import { defineEntity, p } from '@mikro-orm/core';

/** What was set of one event; null: as the module declares it. */
export interface StoredEventTarget {
  readonly enabled: boolean | null;
  readonly channel: string | null;
}

const LoggingTargetSchema = defineEntity({
  name: 'BotLoggingTarget',
  tableName: 'bot_logging_target',
  properties: {
    /** A module's id, or `core`. */
    id: p.text().primary(),
    enabled: p.boolean(),
    channel: p.text().nullable().strictNullable(),
    /** By the event's key. */
    events: p.json<Readonly<Record<string, StoredEventTarget>>>(),
    lastError: p.json<{ readonly message: string; readonly at: string }>().nullable().strictNullable(),
    updatedAt: p.datetime(),
  },
});

export class LoggingTarget extends LoggingTargetSchema.class {}

LoggingTargetSchema.setClass(LoggingTarget);
