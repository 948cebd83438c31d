import { RE2JS, RE2JSException } from 're2js';
import { show } from '../../platform/errors.js';

export const SETTING_TYPES = [
  'string',
  'text',
  'boolean',
  'integer',
  'number',
  'select',
  'multiselect',
  'color',
  'duration',
  'url',
  'channel',
  'role',
  'user',
  'template',
  'list',
  'secret',
] as const;
export type SettingType = (typeof SETTING_TYPES)[number];

/** A setting's value; null: there is none. Durations are seconds, ids of the platform's objects text. */
export type SettingValue = string | number | boolean | readonly string[] | null;

/** What a setting is, and what it allows. */
export interface Setting {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly type: SettingType;
  readonly default: SettingValue;
  /** Without a value, the module can't be enabled. */
  readonly required: boolean;
  /** Of a number or a duration (seconds); of a list or multiselect, how many items. */
  readonly min: number | null;
  readonly max: number | null;
  /** Of a text, and of each item of a list. */
  readonly minLength: number | null;
  readonly maxLength: number | null;
  /** An RE2 pattern that must be found in a text, and in each item of a list. */
  readonly pattern: string | null;
  /** Of a select or multiselect. */
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** Where nothing else is said. */
const LENGTH_MAX = { string: 255, text: 4000, secret: 1024, list: 255 } as const;
const ITEMS_MAX = 100;
const URL_LENGTH_MAX = 2048;
const YEAR_SECONDS = 366 * 86_400;

export type ReadSetting = { readonly value: SettingValue } | { readonly allowed: string };

/**
 * A value as the setting keeps it, or what is allowed, going on from the setting's name: "must be …; got …". Text is
 * taken for numbers and truth values, since forms and commands have nothing else.
 */
export function readSetting(setting: Setting, raw: unknown): ReadSetting {
  const value = READERS[setting.type](setting, raw);
  if (value !== undefined) return { value };
  const got = setting.type === 'secret' ? 'something else' : show(raw);
  return { allowed: `must be ${ALLOWED[setting.type](setting)}; got ${got}` };
}

type Reader = (setting: Setting, raw: unknown) => SettingValue | undefined;

const READERS: Readonly<Record<SettingType, Reader>> = {
  string: (setting, raw) =>
    isText(raw) && !/[\r\n]/.test(raw) ? readText(setting, raw, 'string') : undefined,
  text: (setting, raw) => readText(setting, raw, 'text'),
  secret: (setting, raw) => readText(setting, raw, 'secret'),
  boolean: (_setting, raw) => {
    if (raw === true || raw === 'true') return true;
    return raw === false || raw === 'false' ? false : undefined;
  },
  integer: (setting, raw) => {
    const number = readNumber(raw);
    return Number.isSafeInteger(number) ? within(setting, number) : undefined;
  },
  number: (setting, raw) => within(setting, readNumber(raw)),
  select: ({ options }, raw) => options.find(({ value }) => value === raw)?.value,
  multiselect: (setting, raw) => {
    const allowed = new Set(setting.options.map(({ value }) => value));
    return readItems(setting, raw, (item) => (allowed.has(item) ? item : undefined));
  },
  color: (_setting, raw) => (isText(raw) && /^#[0-9a-f]{6}$/i.test(raw) ? raw.toLowerCase() : undefined),
  duration: (setting, raw) => within({ min: 0, max: YEAR_SECONDS, ...limitsOf(setting) }, readSeconds(raw)),
  url: (_setting, raw) => (isText(raw) && isWebUrl(raw) ? raw : undefined),
  channel: (_setting, raw) => readId(raw, /^<#(\d{17,20})>$/),
  role: (_setting, raw) => readId(raw, /^<@&(\d{17,20})>$/),
  user: (_setting, raw) => readId(raw, /^<@!?(\d{17,20})>$/),
  // Whether there is such a template is for whoever can look.
  template: (_setting, raw) => (isText(raw) && raw !== '' && raw.length <= 255 ? raw : undefined),
  list: (setting, raw) => readItems(setting, raw, (item) => readText(setting, item, 'list')),
};

const ALLOWED: Readonly<Record<SettingType, (setting: Setting) => string>> = {
  string: (setting) => `one line of text of ${lengths(setting, 'string')}`,
  text: (setting) => `text of ${lengths(setting, 'text')}`,
  secret: (setting) => `text of ${lengths(setting, 'secret')}`,
  boolean: () => 'true or false',
  integer: (setting) => `a whole number${range(setting)}`,
  number: (setting) => `a number${range(setting)}`,
  select: ({ options }) => `one of ${options.map(({ value }) => value).join(', ')}`,
  multiselect: (setting) =>
    `a list of ${counts(setting)} different items of ${setting.options.map(({ value }) => value).join(', ')}`,
  color: () => 'a color such as "#5865f2"',
  duration: (setting) => `a duration such as "90s", "10m", "2h30m" or "7d", or seconds${range(setting)}`,
  url: () => `an http:// or https:// URL of at most ${URL_LENGTH_MAX} characters`,
  channel: () => "a channel's id, 17–20 digits",
  role: () => "a role's id, 17–20 digits",
  user: () => "a user's id, 17–20 digits",
  template: () => 'the id or name of a message template',
  list: (setting) => `a list of ${counts(setting)} different texts, each of ${lengths(setting, 'list')}`,
};

/** Why a pattern can't be used; undefined when it can. */
export function patternProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return error.message;
  }
}

function isText(raw: unknown): raw is string {
  return typeof raw === 'string' && !raw.includes('\u0000') && raw.isWellFormed();
}

function readText(setting: Setting, raw: unknown, kind: keyof typeof LENGTH_MAX): string | undefined {
  if (!isText(raw)) return undefined;
  const { minLength, maxLength, pattern } = setting;
  const fits = raw.length >= (minLength ?? 0) && raw.length <= (maxLength ?? LENGTH_MAX[kind]);
  return fits && (pattern === null || RE2JS.compile(pattern).test(raw)) ? raw : undefined;
}

function readNumber(raw: unknown): number | undefined {
  if (typeof raw === 'number') return Number.isFinite(raw) ? raw : undefined;
  return typeof raw === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(raw) ? Number(raw) : undefined;
}

function within({ min, max }: Pick<Setting, 'min' | 'max'>, number: number | undefined): number | undefined {
  return number !== undefined && number >= (min ?? -Infinity) && number <= (max ?? Infinity)
    ? number
    : undefined;
}

function limitsOf({ min, max }: Setting): Partial<{ min: number; max: number }> {
  return { ...(min !== null && { min }), ...(max !== null && { max }) };
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

function readSeconds(raw: unknown): number | undefined {
  const number = readNumber(raw);
  if (number !== undefined) return Number.isSafeInteger(number) ? number : undefined;
  if (typeof raw !== 'string' || !/^(?:\d{1,9}[smhdw])+$/.test(raw)) return undefined;
  const parts = [...raw.matchAll(/(\d+)([smhdw])/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNIT_SECONDS[unit] ?? 0), 0);
}

function readItems(
  { min, max }: Setting,
  raw: unknown,
  read: (item: string) => string | undefined,
): readonly string[] | undefined {
  if (!Array.isArray(raw) || raw.length > (max ?? ITEMS_MAX) || raw.length < (min ?? 0)) return undefined;
  const items = raw.map((item: unknown) => (isText(item) ? read(item) : undefined));
  return items.every((item) => item !== undefined) && new Set(items).size === items.length
    ? items
    : undefined;
}

/** An id, or a mention as it is typed in the chat. */
function readId(raw: unknown, mention: RegExp): string | undefined {
  if (!isText(raw)) return undefined;
  return mention.exec(raw)?.[1] ?? /^\d{17,20}$/.exec(raw)?.[0];
}

function isWebUrl(text: string): boolean {
  return text.length <= URL_LENGTH_MAX && /^https?:\/\//i.test(text) && URL.canParse(text);
}

function lengths({ minLength, maxLength, pattern }: Setting, kind: keyof typeof LENGTH_MAX): string {
  const matching = pattern === null ? '' : ` matching ${pattern}`;
  return `${minLength ?? 0}–${maxLength ?? LENGTH_MAX[kind]} characters${matching}`;
}

function counts({ min, max }: Setting): string {
  return `${min ?? 0}–${max ?? ITEMS_MAX}`;
}

function range({ min, max }: Setting): string {
  if (min !== null && max !== null) return ` from ${min} to ${max}`;
  if (min !== null) return ` of at least ${min}`;
  return max === null ? '' : ` of at most ${max}`;
}
