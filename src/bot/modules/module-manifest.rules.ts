import { z } from 'zod';
import { COOLDOWN_SCOPES } from '../commands/command-access.rules.js';
import { OPTION_TYPES, subcommandPath } from '../commands/command.rules.js';
import type { CommandManifest, OptionType } from '../commands/command.rules.js';
import { PERMISSION_NAMES } from '../commands/permission.rules.js';
import type { ModuleDefinition } from './define-module.js';
import { patternProblem, readSetting } from './setting.rules.js';
import type { Setting } from './setting.rules.js';
import { SETTING_TYPES } from './setting.rules.js';

/** What a module is, without its code: any gateway can show and check it. */
export interface ModuleManifest {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly author: string;
  readonly description: string;
  readonly enabledByDefault: boolean;
  readonly groups: readonly ConfigGroup[];
  readonly events: readonly ModuleEvent[];
  readonly commands: readonly CommandManifest[];
}

export interface ConfigGroup {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly settings: readonly Setting[];
}

/** What a module tells on its logging target. */
export interface ModuleEvent {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly default: boolean;
}

/** `core` stands for the bot itself. */
export const CORE = 'core';
export const MODULE_ID = /^(?!core$)[a-z][a-z0-9-]{0,31}$/;

/** The platform's bounds. */
const OPTIONS_MAX = 25;
const COMMANDS_MAX = 100;

const line = (max: number) => z.string().min(1).max(max);
const key = z.string().regex(/^[A-Za-z][\w.-]{0,63}$/);
const commandName = z.string().regex(/^[-_\p{Ll}\p{Lo}\p{N}]{1,32}$/u);
const id = z.string().regex(/^\d{17,20}$/);
const ids = z.array(id).max(100);

const setting = z.strictObject({
  key,
  label: line(100),
  description: z.string().max(500).default(''),
  type: z.enum(SETTING_TYPES),
  default: z
    .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
    .nullable()
    .default(null),
  required: z.boolean().default(false),
  min: z.number().nullable().default(null),
  max: z.number().nullable().default(null),
  minLength: z.int().min(0).nullable().default(null),
  maxLength: z.int().min(1).max(16_384).nullable().default(null),
  pattern: z.string().max(512).nullable().default(null),
  options: z
    .array(z.strictObject({ value: line(100), label: line(100).optional() }))
    .max(100)
    .transform((options) => options.map(({ value, label = value }) => ({ value, label })))
    .default([]),
});

const group = z.strictObject({
  id: key,
  label: line(100),
  description: z.string().max(500).default(''),
  settings: z.array(setting).min(1).max(50),
});

const event = z.strictObject({
  key,
  label: line(100),
  description: z.string().max(500).default(''),
  default: z.boolean().default(true),
});

const option = z.strictObject({
  name: commandName,
  description: line(100),
  type: z.enum(Object.keys(OPTION_TYPES) as [OptionType, ...OptionType[]]),
  required: z.boolean().default(false),
  choices: z
    .array(z.strictObject({ name: line(100), value: z.union([line(100), z.number()]) }))
    .max(OPTIONS_MAX)
    .default([]),
  min: z.number().nullable().default(null),
  max: z.number().nullable().default(null),
});
const options = z.array(option).max(OPTIONS_MAX).default([]);

/** Who may call a command, as modules and operators write it. */
const rules = z
  .strictObject({
    cooldown: z
      .strictObject({
        seconds: z.int().min(1).max(86_400),
        uses: z.int().min(1).max(1000),
        scope: z.enum(COOLDOWN_SCOPES),
      })
      .nullable(),
    ...{
      allowRoles: ids,
      denyRoles: ids,
      allowChannels: ids,
      denyChannels: ids,
      allowUsers: ids,
      denyUsers: ids,
    },
    permissions: z.array(z.enum(PERMISSION_NAMES)),
    ephemeral: z.boolean(),
    denyMessage: line(1000).nullable(),
  })
  .partial();

const handler = z.custom((value) => typeof value === 'function', 'must be a function');

const command = z.strictObject({
  name: commandName,
  description: line(100),
  options,
  subcommands: z
    .array(
      z.strictObject({
        name: commandName,
        group: commandName.nullable().default(null),
        description: line(100),
        options,
        run: handler,
      }),
    )
    .max(OPTIONS_MAX)
    .default([]),
  slash: z.boolean().default(true),
  prefix: z.boolean().default(true),
  mention: z.boolean().default(true),
  rules: rules.default({}),
  run: handler.optional(),
});

const definition = z.strictObject({
  id: z.string().regex(MODULE_ID),
  name: line(100),
  version: line(50),
  author: line(100),
  description: z.string().max(500).default(''),
  enabledByDefault: z.boolean().default(false),
  config: z.array(group).max(25).default([]),
  events: z.array(event).max(100).default([]),
  commands: z.array(command).max(COMMANDS_MAX).default([]),
  setup: handler.optional(),
});

/** Why a module's definition is none, in words for its author. */
export class BadModule extends Error {}

/** What a module's default export declares. Throws {@link BadModule} with everything that is wrong with it. */
export function readManifest(exported: unknown): ModuleManifest {
  const read = definition.safeParse(exported);
  if (!read.success) throw new BadModule(inOneLine(read.error));
  const { id, name, version, author, description, enabledByDefault, config, events, commands } = read.data;
  const problems = [
    ...doubles(
      'config group',
      config.map((each) => each.id),
    ),
    ...config.flatMap((each) => settingProblems(each.id, each.settings)),
    ...doubles(
      'event',
      events.map((each) => each.key),
    ),
    ...doubles(
      'command',
      commands.map((each) => each.name),
    ),
    ...commands.flatMap(commandProblems),
  ];
  if (problems.length > 0) throw new BadModule(problems.join('; '));
  return {
    ...{ id, name, version, author, description, enabledByDefault, events },
    groups: config.map((each) => ({ ...each, settings: each.settings.map(withReadDefault) })),
    commands: commands.map(({ run: _run, subcommands, rules: given, ...each }) => ({
      ...each,
      rules: withoutAbsent(given),
      subcommands: subcommands.map(({ run: _subRun, ...subcommand }) => subcommand),
    })),
  };
}

/** A default may be written as an operator would: `10m`. */
function withReadDefault(given: Setting): Setting {
  const read = given.default === null ? undefined : readSetting(given, given.default);
  return read && 'value' in read ? { ...given, default: read.value } : given;
}

/** `commands[0].name: …; …` */
function inOneLine(error: z.ZodError): string {
  const problems = error.issues.map(
    ({ path, message }) => `${z.core.toDotPath(path) || 'the export'}: ${message}`,
  );
  return problems.join('; ');
}

/** The code of a definition that {@link readManifest} took. */
export function asDefinition(exported: unknown): ModuleDefinition {
  return exported as ModuleDefinition;
}

type CheckedCommand = z.output<typeof command>;

function settingProblems(groupId: string, settings: readonly Setting[]): string[] {
  const problems = doubles(
    `setting of ${groupId}`,
    settings.map((each) => each.key),
  );
  for (const each of settings) {
    const name = `The setting ${groupId}.${each.key}`;
    const wrongPattern = each.pattern === null ? undefined : patternProblem(each.pattern);
    if (wrongPattern !== undefined) {
      problems.push(`${name} has a pattern that is none: ${wrongPattern}`);
      continue;
    }
    if ((each.type === 'select' || each.type === 'multiselect') && each.options.length === 0) {
      problems.push(`${name} has no options`);
      continue;
    }
    const read = each.default === null ? undefined : readSetting(each, each.default);
    if (read && 'allowed' in read) problems.push(`${name} has a default that ${read.allowed}`);
  }
  return problems;
}

function commandProblems({ name, run, options: own, subcommands }: CheckedCommand): string[] {
  const problems = doubles(`subcommand of ${name}`, subcommands.map(subcommandPath));
  if ((run === undefined) === (subcommands.length === 0)) {
    problems.push(`The command ${name} needs either run or subcommands`);
  }
  if (subcommands.length > 0 && own.length > 0) {
    problems.push(`The command ${name} has subcommands, so its options must stand there`);
  }
  for (const each of [{ name, options: own }, ...subcommands]) {
    problems.push(
      ...doubles(
        `option of ${each.name}`,
        each.options.map((one) => one.name),
      ),
    );
    // The platform refuses it, and with it every other command.
    const firstOptional = each.options.findIndex(({ required }) => !required);
    if (firstOptional >= 0 && each.options.slice(firstOptional).some(({ required }) => required)) {
      problems.push(`The required options of ${each.name} must come before the others`);
    }
  }
  return problems;
}

function doubles(kind: string, names: readonly string[]): string[] {
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...twice].map((name) => `There are two ${kind} ${name}`);
}

/** zod's `partial` allows `undefined`; absent is absent. */
function withoutAbsent<T extends object>(
  given: T,
): { [Key in keyof T]?: NonNullable<T[Key]> | (null & T[Key]) } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}
