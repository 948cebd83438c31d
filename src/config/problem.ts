import type { Option } from './option.js';

/** One thing that is wrong with the configuration. Holds no secret: it can be printed and logged. */
export interface Problem {
  /** `SERVER.PORT`, or the name of a file that can't be read. */
  key: string;
  /** As it was given, secrets masked; absent where there is none, or where it could be a secret in the wrong place. */
  value?: string;
  /** Where it was given: `environment variable SERVER_PORT`, `config.yml line 3`. */
  source: string;
  /** What would have been right. */
  allowed: string;
  /** What is wrong, in a sentence without full stop. */
  message: string;
}

/** The configuration can't be used. Its message lists every problem, so that one start is enough to mend them all. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly Problem[]) {
    const title = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
    super([`The configuration has ${title}.`, ...problems.map(print)].join('\n\n'));
  }
}

function print({ key, value, source, allowed, message }: Problem): string {
  return [
    `  ${key}: ${message}`,
    `    given:   ${value === undefined ? '' : `${value}, `}in ${source}`,
    `    allowed: ${allowed}`,
  ].join('\n');
}

const VALUE_LENGTH_MAX = 120;

/** A value as it may be shown: quoted, on one line, not too long, secrets masked. */
export function show(value: string | readonly string[], secret?: Option['secret']): string {
  const texts = typeof value === 'string' ? [value] : value;
  const shown = texts.map((text) => quote(secret === undefined ? text : mask(text, secret))).join(', ');
  return typeof value === 'string' ? shown : `[${shown}]`;
}

function quote(text: string): string {
  const cut = text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
  // JSON's quoting keeps line breaks and control characters of a stray value out of the terminal.
  return JSON.stringify(cut);
}

function mask(text: string, secret: NonNullable<Option['secret']>): string {
  const url = /^([a-z][a-z0-9+.-]*:\/\/)(\S*)$/i.exec(text);
  if (secret === 'text' || url === null) return `*** (${text.length} characters)`;
  const [, scheme = '', rest = ''] = url;
  // The last @ ends the password, however many a badly encoded one has.
  const at = rest.lastIndexOf('@');
  const user = rest.slice(0, Math.max(at, 0)).split(':')[0] ?? '';
  const place = rest.slice(at + 1);
  // Only what looks like host, port and database is surely none of the secret. (A query is not: ?password=…)
  const [plain = '***'] = /^[\w.-]+(:\d{1,5})?(\/[\w-]*)?(?=$|\?)/.exec(place) ?? [];
  return `${scheme}${at === -1 ? '' : `${user}:***@`}${plain}${plain !== '***' && place.includes('?') ? '?***' : ''}`;
}
