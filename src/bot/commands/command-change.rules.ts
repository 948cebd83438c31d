import { pointer, show } from '../../platform/errors.js';
import type { FieldProblem } from '../../platform/errors.js';
import type { CommandRules } from './command-access.rules.js';
import { subcommandPath } from './command.rules.js';
import type { CommandManifest, CommandOverride } from './command.rules.js';
import { PERMISSION_NAMES } from './permission.rules.js';
import type { PermissionName } from './permission.rules.js';

/** What a write sets of one command: absent stays, null goes back to what the module declares. */
export interface CommandChange {
  readonly name: string;
  readonly enabled?: boolean | null;
  readonly slash?: boolean | null;
  readonly prefix?: boolean | null;
  readonly mention?: boolean | null;
  /** `""`: the global one. */
  readonly customPrefix?: string | null;
  readonly subcommands?: readonly SubcommandChange[] | null;
  readonly rules?: RulesChange | null;
}

export interface SubcommandChange {
  readonly name: string;
  readonly group?: string | null;
  readonly enabled: boolean;
}

/** Each absent, null for back to what the module declares, or a value. */
export type RulesChange = { readonly [Key in keyof CommandRules]?: CommandRules[Key] | null };

const PREFIX_LENGTH_MAX = 25;
const LIST_MAX = 100;
const SECONDS_MAX = 86_400;
const USES_MAX = 1000;
const MESSAGE_LENGTH_MAX = 1000;
const ID_LISTS = [
  'allowRoles',
  'denyRoles',
  'allowChannels',
  'denyChannels',
  'allowUsers',
  'denyUsers',
] as const;

/** What is wrong with a prefix, going on from its name; undefined when it is good. */
export function prefixProblem(prefix: string): string | undefined {
  const isGood =
    prefix.length >= 1 &&
    prefix.length <= PREFIX_LENGTH_MAX &&
    prefix.trim() === prefix &&
    prefix.isWellFormed() &&
    !/[\u0000-\u001f\u007f]/.test(prefix) &&
    prefix !== '/' &&
    prefix !== '@';
  if (isGood) return undefined;
  return `must have 1–${PREFIX_LENGTH_MAX} characters, no space at its ends, and be neither / nor @; got ${show(prefix)}`;
}

/** A command's settings after a change, and everything that is wrong with it; pointers go on from `at`. */
export function changedOverride(
  manifest: CommandManifest,
  before: CommandOverride,
  change: CommandChange,
  at: readonly (string | number)[],
): { readonly override: CommandOverride; readonly problems: readonly FieldProblem[] } {
  const subcommands = changedSubcommands(manifest, before, change, at);
  const { customPrefix } = change;
  const prefixIs = customPrefix == null || customPrefix === '' ? undefined : prefixProblem(customPrefix);
  return {
    override: {
      enabled: change.enabled === undefined ? before.enabled : change.enabled,
      slash: change.slash === undefined ? before.slash : change.slash,
      prefix: change.prefix === undefined ? before.prefix : change.prefix,
      mention: change.mention === undefined ? before.mention : change.mention,
      customPrefix:
        customPrefix === undefined ? before.customPrefix : customPrefix === '' ? null : customPrefix,
      disabledSubcommands: subcommands.disabled,
      rules: change.rules === null ? {} : changedRules(before.rules, change.rules ?? {}),
    },
    problems: [
      ...(prefixIs === undefined ? [] : [problem([...at, 'customPrefix'], prefixIs)]),
      ...subcommands.problems,
      ...rulesProblems(change.rules ?? {}, [...at, 'rules']),
    ],
  };
}

function changedSubcommands(
  manifest: CommandManifest,
  { disabledSubcommands }: CommandOverride,
  { subcommands }: CommandChange,
  at: readonly (string | number)[],
) {
  const known = manifest.subcommands.map(subcommandPath);
  const disabled = new Set(subcommands === null ? [] : disabledSubcommands);
  const problems: FieldProblem[] = [];
  for (const [index, { name, group = null, enabled }] of (subcommands ?? []).entries()) {
    const path = subcommandPath({ name, group });
    if (!known.includes(path)) {
      const allowed = `must be a subcommand of ${manifest.name}: ${known.join(', ') || 'none'}; got ${show(path)}`;
      problems.push(problem([...at, 'subcommands', index, 'name'], allowed));
    } else if (enabled) disabled.delete(path);
    else disabled.add(path);
  }
  return { disabled: [...disabled].sort(), problems };
}

/** `null` takes a rule back to what the module declares. */
function changedRules(before: Partial<CommandRules>, change: RulesChange): Partial<CommandRules> {
  const merged = new Map<string, unknown>(Object.entries(before));
  for (const [rule, value] of Object.entries(change) as [string, unknown][]) {
    if (value === null) merged.delete(rule);
    else if (value !== undefined) merged.set(rule, value);
  }
  return Object.fromEntries(merged);
}

/** What the types of the fields can't say. */
function rulesProblems(rules: RulesChange, at: readonly (string | number)[]): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { cooldown, permissions, denyMessage } = rules;
  if (cooldown != null && !isWithin(cooldown.seconds, SECONDS_MAX)) {
    const allowed = `must be between 1 and ${SECONDS_MAX}; got ${cooldown.seconds}`;
    problems.push(problem([...at, 'cooldown', 'seconds'], allowed));
  }
  if (cooldown != null && !isWithin(cooldown.uses, USES_MAX)) {
    problems.push(
      problem([...at, 'cooldown', 'uses'], `must be between 1 and ${USES_MAX}; got ${cooldown.uses}`),
    );
  }
  for (const list of ID_LISTS) {
    const ids = rules[list] ?? [];
    if (ids.length > LIST_MAX) problems.push(problem([...at, list], `may have at most ${LIST_MAX} ids`));
    const wrong = ids.findIndex((id) => !/^\d{17,20}$/.test(id));
    if (wrong >= 0) {
      const allowed = `must be an id of 17–20 digits; got ${show(ids[wrong])}`;
      problems.push(problem([...at, list, wrong], allowed));
    }
  }
  const unknown = (permissions ?? []).findIndex((name) => !isPermission(name));
  if (unknown >= 0) {
    const allowed = `must be one of ${PERMISSION_NAMES.join(', ')}; got ${show(permissions?.[unknown])}`;
    problems.push(problem([...at, 'permissions', unknown], allowed));
  }
  if (denyMessage != null && (denyMessage.length < 1 || denyMessage.length > MESSAGE_LENGTH_MAX)) {
    problems.push(problem([...at, 'denyMessage'], `must have 1–${MESSAGE_LENGTH_MAX} characters`));
  }
  return problems;
}

function isWithin(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max;
}

function isPermission(name: string): name is PermissionName {
  return (PERMISSION_NAMES as readonly string[]).includes(name);
}

function problem(path: readonly (string | number)[], allowed: string): FieldProblem {
  return { pointer: pointer(...path), code: 'INVALID_FIELD', detail: `${path.join('.')} ${allowed}` };
}
