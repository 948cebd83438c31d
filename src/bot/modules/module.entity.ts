import { defineEntity, p } from '@mikro-orm/core';

/** What came of what operators want: `failed` is wanted, and its code didn't load or threw. */
export const MODULE_STATES = ['disabled', 'enabled', 'failed'] as const;
export type ModuleState = (typeof MODULE_STATES)[number];

const BotModuleSchema = defineEntity({
  name: 'BotModule',
  tableName: 'bot_module',
  properties: {
    id: p.text().primary(),
    /** What the code declares, a `ModuleManifest`; null: the code isn't there. */
    manifest: p.json<object>().nullable().strictNullable(),
    enabled: p.boolean(),
    state: p.text().$type<ModuleState>(),
    error: p.text().nullable().strictNullable(),
    /** Group → key → value; a secret is sealed. */
    config: p.json<StoredConfig>(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** Values as they are stored, by group and key. */
export type StoredConfig = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export class BotModule extends BotModuleSchema.class {
  /** What operators see as enabled: one that is wanted and has failed is not. */
  isOn(): boolean {
    return this.enabled && this.state !== 'failed';
  }
}

BotModuleSchema.setClass(BotModule);
