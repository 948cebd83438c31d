import { InvalidField, show } from '../../platform/errors.js';

type Payload = Readonly<Record<string, unknown>>;

const LENGTH_MAX = 255;
/** What a template shows where the marketplace had nothing to put in: `{addon_id}`, `%%__ADDON__%%`. */
const UNFILLED = /^(?:\{[\w.]+\}|%%__\w+__%%)$/;
const NOTHING = new Set(['', '0', 'none', 'null', 'undefined', 'n/a', '-']);
const NO = new Set([...NOTHING, 'false', 'no', 'off']);

/** The text of the first of these members that has one; a seller's template may send anything as a string. */
export function textOf(payload: Payload, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
    const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value).trim() : '';
    if (text !== '' && !UNFILLED.test(text)) return text;
  }
  return null;
}

/** As {@link textOf}, of what identifies something: longer than 255 characters or with control characters is 422. */
export function idOf(payload: Payload, ...names: readonly [string, ...string[]]): string | null {
  const text = textOf(payload, ...names);
  if (text === null || (text.length <= LENGTH_MAX && !/\p{Cc}/u.test(text))) return text;
  throw new InvalidField(
    names.find((name) => textOf(payload, name) === text) ?? names[0],
    `must be at most ${LENGTH_MAX} characters without control characters; got ${show(text)}`,
  );
}

/** As {@link idOf}, where `0` and `none` are said for "there is none". */
export function optionalIdOf(payload: Payload, ...names: readonly [string, ...string[]]): string | null {
  const id = idOf(payload, ...names);
  return id === null || NOTHING.has(id.toLowerCase()) ? null : id;
}

/** A text for people: shortened rather than refused. */
export function labelOf(payload: Payload, ...names: readonly string[]): string | null {
  return (
    textOf(payload, ...names)
      ?.replace(/\p{Cc}/gu, ' ')
      .slice(0, LENGTH_MAX)
      .toWellFormed() ?? null
  );
}

/** True for anything but what says no. */
export function flagOf(payload: Payload, name: string): boolean {
  const text = textOf(payload, name);
  return text !== null && !NO.has(text.toLowerCase());
}

/** A number as it is written in a price, a currency's sign and spaces aside; null for what can't be read as one. */
export function amountOf(payload: Payload, ...names: readonly string[]): number | null {
  const [, digits] =
    /^\D{0,4}?(-?\d{1,12}(?:\.\d{1,8})?)\D{0,4}$/.exec(textOf(payload, ...names) ?? '') ?? [];
  return digits === undefined ? null : Number(digits);
}

/** From here on a number means milliseconds; as seconds it would be in the year 5138. */
const MILLIS_FROM = 1e11;
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const YEAR_MAX = 9999;

/** Unix seconds (or milliseconds) or ISO 8601, in UTC if it names no zone; null for what can't be read as either. */
export function dateOf(payload: Payload, ...names: readonly string[]): Date | null {
  const text = textOf(payload, ...names) ?? '';
  const number = /^\d{1,15}(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
  if (number !== undefined) return sensible(number < MILLIS_FROM ? number * 1000 : number);
  if (!ISO.test(text)) return null;
  const hasZone = text.length <= 10 || /(?:Z|[+-]\d{2}:?\d{2})$/.test(text.slice(10));
  return sensible(Date.parse(`${text.replace(' ', 'T')}${hasZone ? '' : 'Z'}`));
}

function sensible(millis: number): Date | null {
  const date = new Date(Math.round(millis));
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > YEAR_MAX ? null : date;
}
