import type { Json } from './form.rules.js';
import { PlatformError } from './platform-error.js';
import type { CommandOption } from './resolved-options.js';

/** What somebody fills into the form of a slash command: texts by the name of the option. Empty ones are not given. */
export interface FilledForm {
  /** The names of the group and the subcommand, if the command has them. */
  readonly path: readonly string[];
  readonly values: Readonly<Record<string, string>>;
}

/** An option as it was registered. */
interface RegisteredOption {
  readonly name: string;
  readonly type: number;
  readonly required?: boolean;
  readonly options?: readonly RegisteredOption[];
  readonly choices?: readonly { readonly name: string; readonly value: string | number }[];
  readonly min_value?: number;
  readonly max_value?: number;
}

/** What a client sends for a filled form. Throws 400 with what is wrong, as a client says it before it sends anything. */
export function callOptions(command: Json, { path, values }: FilledForm): CommandOption[] {
  const options = (command['options'] ?? []) as readonly RegisteredOption[];
  const hasSubcommands = options.some(({ type }) => type === 1 || type === 2);
  const [name, ...rest] = path;
  if (hasSubcommands) {
    const chosen = options.find((option) => option.name === name);
    if (!chosen) throw refused(`A subcommand must be one of ${options.map((each) => each.name).join(', ')}`);
    const inner = { options: chosen.options ?? [] };
    return [{ name: chosen.name, type: chosen.type, options: callOptions(inner, { path: rest, values }) }];
  }
  return options.flatMap((option) => {
    const text = values[option.name]?.trim() ?? '';
    if (text !== '') return [{ name: option.name, type: option.type, value: valueOf(option, text) }];
    if (option.required === true) throw refused(`${option.name} is missing`);
    return [];
  });
}

function valueOf(option: RegisteredOption, text: string): string | number | boolean {
  const value = typedValue(option, text);
  const { choices = [] } = option;
  if (choices.length > 0 && !choices.some((choice) => choice.value === value)) {
    throw refused(`${option.name} must be one of ${choices.map(({ name }) => name).join(', ')}`);
  }
  return value;
}

function typedValue({ name, type, min_value: min, max_value: max }: RegisteredOption, text: string) {
  if (type === 5) return text === 'true';
  if (type !== 4 && type !== 10) return text;
  const number = Number(text);
  const isKind = type === 4 ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (isKind && number >= (min ?? -Infinity) && number <= (max ?? Infinity)) return number;
  const kind = type === 4 ? 'a whole number' : 'a number';
  throw refused(
    `${name} must be ${kind} from ${min ?? 'the least'} to ${max ?? 'the most there is'}; got ${text}`,
  );
}

function refused(message: string): PlatformError {
  return new PlatformError(400, 50_035, message);
}
