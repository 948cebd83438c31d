import type { CommandOption, EffectiveCommand, EffectiveSubcommand, OptionValue } from './command.rules.js';

/** A message that calls a command. */
export interface TextCall<C extends CallNames> {
  readonly trigger: 'prefix' | 'mention';
  readonly command: C;
  /** What follows the command's name. */
  readonly text: string;
}

type CallNames = Pick<EffectiveCommand, 'name' | 'customPrefix'>;

interface CallSigns {
  readonly botId: string;
  readonly prefix: string;
}

/**
 * The command that a message calls: `!name …` by the prefix (a command's own replaces the global one), `@bot name …`
 * by mention. Undefined: it is a message like any other.
 */
export function readCall<C extends CallNames>(
  content: string,
  commands: readonly C[],
  { botId, prefix }: CallSigns,
): TextCall<C> | undefined {
  const mention = new RegExp(`^<@!?${botId}>\\s*`).exec(content);
  for (const command of longestFirst(commands)) {
    const sign = command.customPrefix === '' ? prefix : command.customPrefix;
    const text = content.startsWith(sign) ? textAfter(command.name, content.slice(sign.length)) : undefined;
    if (text !== undefined) return { trigger: 'prefix', command, text };
    const told = mention ? textAfter(command.name, content.slice(mention[0].length)) : undefined;
    if (told !== undefined) return { trigger: 'mention', command, text: told };
  }
  return undefined;
}

/** With the prefixes `!` and `!!`, `!!help` is the second one's. */
function longestFirst<C extends CallNames>(commands: readonly C[]): C[] {
  return commands.toSorted((one, other) => other.customPrefix.length - one.customPrefix.length);
}

/** Case doesn't matter: telephones begin with a capital letter. */
function textAfter(name: string, said: string): string | undefined {
  const [word = ''] = /^\S*/.exec(said) ?? [];
  return word.toLowerCase() === name ? said.slice(word.length).trim() : undefined;
}

/** The subcommand that the text begins with, and what follows it. */
export function readSubcommand(
  subcommands: readonly EffectiveSubcommand[],
  text: string,
): { readonly subcommand: EffectiveSubcommand; readonly text: string } | undefined {
  for (const subcommand of subcommands) {
    const inGroup = subcommand.group === null ? text : textAfter(subcommand.group, text);
    const rest = inGroup === undefined ? undefined : textAfter(subcommand.name, inGroup);
    if (rest !== undefined) return { subcommand, text: rest };
  }
  return undefined;
}

export type ReadOptions =
  | { readonly values: Readonly<Record<string, OptionValue>> }
  /** What is wrong, in words for the caller. */
  | { readonly problem: string };

/**
 * Options from text, in their order, one word each; quotes keep words together, and a last text option takes all that
 * is left.
 */
export function readOptions(options: readonly CommandOption[], text: string): ReadOptions {
  const values: Record<string, OptionValue> = {};
  let left = text.trim();
  for (const [index, option] of options.entries()) {
    const takesRest = option.type === 'string' && index === options.length - 1;
    const word = nextWord(left, { takesRest });
    if (word === undefined) {
      if (option.required) return { problem: `\`${option.name}\` is missing: ${option.description}` };
      continue;
    }
    const value = readOption(option, word.value);
    if (value === undefined) {
      // What doesn't fit may be meant for the next one.
      if (!option.required && index < options.length - 1) continue;
      return { problem: `\`${option.name}\` must be ${allowed(option)}; got "${word.value.slice(0, 100)}"` };
    }
    values[option.name] = value;
    left = word.rest;
  }
  if (left !== '') return { problem: `There is too much: "${left.slice(0, 100)}"` };
  return { values };
}

/** How a command is called by prefix: `!say <channel> [text]`. */
export function usageOf(sign: string, path: string, options: readonly CommandOption[]): string {
  return [sign + path, ...options.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`))].join(
    ' ',
  );
}

function nextWord(
  text: string,
  { takesRest }: { readonly takesRest: boolean },
): { readonly value: string; readonly rest: string } | undefined {
  if (text === '') return undefined;
  const [all, double, single, curly] = /^(?:"([^"]*)"|'([^']*)'|“([^”]*)”)(?=\s|$)/.exec(text) ?? [];
  const quoted = double ?? single ?? curly;
  if (all !== undefined && quoted !== undefined && !(takesRest && all.length < text.length)) {
    return { value: quoted, rest: text.slice(all.length).trim() };
  }
  if (takesRest) return { value: text, rest: '' };
  const [word = ''] = /^\S+/.exec(text) ?? [];
  return { value: word, rest: text.slice(word.length).trim() };
}

const MENTIONS = {
  user: /^<@!?(\d{17,20})>$/,
  channel: /^<#(\d{17,20})>$/,
  role: /^<@&(\d{17,20})>$/,
} as const;
const YES = new Set(['true', 'yes', 'on', '1']);
const NO = new Set(['false', 'no', 'off', '0']);

function readOption(option: CommandOption, word: string): OptionValue | undefined {
  const value = readWord(option, word);
  if (value === undefined || option.choices.length === 0) return value;
  return option.choices.find((choice) => choice.value === value || choice.name === word)?.value;
}

function readWord({ type, min, max }: CommandOption, word: string): OptionValue | undefined {
  switch (type) {
    case 'string':
      return word;
    case 'integer':
    case 'number': {
      const number = /^-?\d+(?:\.\d+)?$/.test(word) ? Number(word) : Number.NaN;
      const isKind = type === 'number' ? Number.isFinite(number) : Number.isSafeInteger(number);
      return isKind && number >= (min ?? -Infinity) && number <= (max ?? Infinity) ? number : undefined;
    }
    case 'boolean':
      if (YES.has(word.toLowerCase())) return true;
      return NO.has(word.toLowerCase()) ? false : undefined;
    case 'user':
    case 'channel':
    case 'role':
      return MENTIONS[type].exec(word)?.[1] ?? /^\d{17,20}$/.exec(word)?.[0];
  }
}

function allowed({ type, choices, min, max }: CommandOption): string {
  if (choices.length > 0) return `one of ${choices.map(({ name }) => name).join(', ')}`;
  const range =
    min === null && max === null ? '' : ` from ${min ?? 'the least'} to ${max ?? 'the most there is'}`;
  return {
    string: 'text',
    integer: `a whole number${range}`,
    number: `a number${range}`,
    boolean: 'yes or no',
    user: 'a user',
    channel: 'a channel',
    role: 'a role',
  }[type];
}
