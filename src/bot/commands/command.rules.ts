import { NO_RULES } from './command-access.rules.js';
import type { CommandRules } from './command-access.rules.js';

/** What a command takes, with the platform's number for it. */
export const OPTION_TYPES = {
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  number: 10,
} as const;
export type OptionType = keyof typeof OPTION_TYPES;

/** What a caller gives: text, a number, a truth value, or the id of a user, channel or role. */
export type OptionValue = string | number | boolean;

export interface CommandOption {
  readonly name: string;
  readonly description: string;
  readonly type: OptionType;
  readonly required: boolean;
  /** Nothing else is taken; empty: anything is. */
  readonly choices: readonly { readonly name: string; readonly value: string | number }[];
  /** Of a number. */
  readonly min: number | null;
  readonly max: number | null;
}

/** A subcommand, in a group or (null) right under its command. */
export interface SubcommandManifest {
  readonly name: string;
  readonly group: string | null;
  readonly description: string;
  readonly options: readonly CommandOption[];
}

/** A command as its module declares it. With subcommands, it can't be called itself. */
export interface CommandManifest {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CommandOption[];
  readonly subcommands: readonly SubcommandManifest[];
  readonly slash: boolean;
  readonly prefix: boolean;
  readonly mention: boolean;
  readonly rules: Partial<CommandRules>;
}

/** What an operator has set; null or absent: as the module declares it. */
export interface CommandOverride {
  readonly enabled: boolean | null;
  readonly slash: boolean | null;
  readonly prefix: boolean | null;
  readonly mention: boolean | null;
  readonly customPrefix: string | null;
  /** Those switched off, as {@link subcommandPath} names them. */
  readonly disabledSubcommands: readonly string[];
  readonly rules: Partial<CommandRules>;
}

/** A subcommand as it stands. */
export interface EffectiveSubcommand extends SubcommandManifest {
  readonly enabled: boolean;
}

/** A command as it stands: what the module declares, with what an operator has set over it. */
export interface EffectiveCommand {
  readonly name: string;
  readonly description: string;
  /** Id of the module. */
  readonly module: string;
  readonly enabled: boolean;
  readonly slash: boolean;
  readonly prefix: boolean;
  readonly mention: boolean;
  /** `""`: the global one. */
  readonly customPrefix: string;
  readonly options: readonly CommandOption[];
  readonly subcommands: readonly EffectiveSubcommand[];
  readonly rules: CommandRules;
}

export function effectiveCommand(
  module: string,
  manifest: CommandManifest,
  override: CommandOverride | undefined,
): EffectiveCommand {
  const { name, description, options, subcommands } = manifest;
  const disabled = new Set(override?.disabledSubcommands);
  return {
    ...{ name, description, module, options },
    enabled: override?.enabled ?? true,
    slash: override?.slash ?? manifest.slash,
    prefix: override?.prefix ?? manifest.prefix,
    mention: override?.mention ?? manifest.mention,
    customPrefix: override?.customPrefix ?? '',
    subcommands: subcommands.map((each) => ({ ...each, enabled: !disabled.has(subcommandPath(each)) })),
    rules: { ...NO_RULES, ...manifest.rules, ...override?.rules },
  };
}

/** `group name`, or the name alone. */
export function subcommandPath({ group, name }: Pick<SubcommandManifest, 'group' | 'name'>): string {
  return group === null ? name : `${group} ${name}`;
}
