import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { findModules } from '../modules/module.repository.js';
import { BotCommand } from './command.entity.js';
import { effectiveCommand } from './command.rules.js';
import type { CommandManifest, CommandOverride, EffectiveCommand } from './command.rules.js';
import { CommandSettings } from './command-settings.entity.js';

/** A command as its module declares it. */
export interface DeclaredCommand {
  readonly module: string;
  readonly manifest: CommandManifest;
}

/** A command as it stands, and whether its module is enabled. */
export type StandingCommand = EffectiveCommand & { readonly moduleEnabled: boolean };

/** Every command of every module that is there, by name; also those of disabled modules. */
export async function findCommands(em: EntityManager): Promise<StandingCommand[]> {
  const overrides = new Map((await em.find(BotCommand, {})).map((row) => [row.name, overrideOf(row)]));
  const modules = await findModules(em);
  return modules
    .flatMap((module) =>
      module.manifest.commands.map((command) => ({
        ...effectiveCommand(module.id, command, overrides.get(command.name)),
        moduleEnabled: module.isOn(),
      })),
    )
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** What modules declare, by the command's name. */
export async function declaredCommands(em: EntityManager): Promise<ReadonlyMap<string, DeclaredCommand>> {
  const modules = await findModules(em);
  return new Map(
    modules.flatMap(({ id, manifest }) =>
      manifest.commands.map((command) => [command.name, { module: id, manifest: command }] as const),
    ),
  );
}

/** The row of what holds for all commands. */
export function commandSettings(em: EntityManager): Promise<CommandSettings> {
  return em.findOneOrFail(CommandSettings, { id: 1 });
}

/** Locked: whoever changes commands holds it, so that two changes at once don't undo each other. */
export function commandSettingsForUpdate(em: EntityManager): Promise<CommandSettings> {
  return em.findOneOrFail(CommandSettings, { id: 1 }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** The row of a command, made when there is none; under the lock of {@link commandSettingsForUpdate}. */
export async function overrideRow(em: EntityManager, name: string, now: Date): Promise<BotCommand> {
  const existing = await em.findOne(BotCommand, { name });
  if (existing) return existing;
  const nothing = { enabled: null, slash: null, prefix: null, mention: null, customPrefix: null };
  const row = em.create(BotCommand, { name, ...nothing, disabledSubcommands: [], rules: {}, updatedAt: now });
  em.persist(row);
  return row;
}

/** What was stored was checked when it was written. */
export function overrideOf(row: BotCommand): CommandOverride {
  const { enabled, slash, prefix, mention, customPrefix, disabledSubcommands, rules } = row;
  return { enabled, slash, prefix, mention, customPrefix, disabledSubcommands, rules };
}
