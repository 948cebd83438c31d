import { createHash } from 'node:crypto';
import { OPTION_TYPES } from './command.rules.js';
import type { CommandOption, EffectiveCommand, EffectiveSubcommand } from './command.rules.js';

/** Where slash commands are registered: one server, where they appear at once, or everywhere. */
export type RegistrationScope = { readonly guildId: string } | 'global';

/** `BOT.GUILD_ID`, or everywhere. */
export function scopeOf(guildId: string | undefined): RegistrationScope {
  return guildId === undefined ? 'global' : { guildId };
}

/** Option types of the platform that hold others. */
const SUBCOMMAND = 1;
const SUBCOMMAND_GROUP = 2;

/** What the platform keeps of a slash command, in its own words. */
export type RegisteredCommand = Readonly<Record<string, unknown>> & { readonly name: string };

/** The slash commands of enabled modules as the platform takes them, by name. */
export function registrationOf(commands: readonly EffectiveCommand[]): RegisteredCommand[] {
  return (
    commands
      .filter(({ enabled, slash }) => enabled && slash)
      // One that has only subcommands, all of them off, could not be called.
      .filter(({ subcommands }) => subcommands.length === 0 || subcommands.some(({ enabled }) => enabled))
      .map(({ name, description, options, subcommands }) => ({
        ...{ name, description, type: 1 },
        options:
          subcommands.length === 0
            ? optionsOf(options)
            : subcommandsOf(subcommands.filter(({ enabled }) => enabled)),
      }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  );
}

/** What tells whether the platform has the same already: the commands, and where they are registered. */
export function registrationHash(
  registration: readonly RegisteredCommand[],
  scope: RegistrationScope,
): string {
  const place = scope === 'global' ? scope : scope.guildId;
  return createHash('sha256')
    .update(JSON.stringify([place, registration]))
    .digest('hex');
}

function subcommandsOf(subcommands: readonly EffectiveSubcommand[]): unknown[] {
  const groups = Map.groupBy(subcommands, ({ group }) => group);
  return [...groups].flatMap(([group, members]) => {
    const items = members.map(({ name, description, options }) => ({
      ...{ name, description, type: SUBCOMMAND },
      options: optionsOf(options),
    }));
    return group === null
      ? items
      : [{ name: group, description: `${group} commands`, type: SUBCOMMAND_GROUP, options: items }];
  });
}

function optionsOf(options: readonly CommandOption[]): unknown[] {
  return options.map(({ name, description, type, required, choices, min, max }) => ({
    ...{ name, description, type: OPTION_TYPES[type], required },
    ...(choices.length > 0 && { choices }),
    ...(min !== null && { min_value: min }),
    ...(max !== null && { max_value: max }),
  }));
}
