import { GraphQLError, GraphQLScalarType, valueFromASTUntyped } from 'graphql';
import type { ValueNode } from 'graphql';
import { show } from '../errors.js';
import { isoText } from '../iso-text.js';

/** How a value must be, as the error says it: "must be …; got …". */
interface ScalarRule<T> {
  readonly name: string;
  readonly description: string;
  readonly allowed: string;
  /** The same as a JSON schema, as far as one can say it. */
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  parse(value: unknown): T | undefined;
  /** Default: as it is. */
  serialize?(value: unknown): unknown;
}

/** A scalar whose errors name what is allowed. */
export function defineScalar<T>(rule: ScalarRule<T>): GraphQLScalarType<T, unknown> {
  const parse = (value: unknown): T => {
    const parsed = rule.parse(value);
    if (parsed === undefined) throw new GraphQLError(`must be ${rule.allowed}; got ${show(value)}`);
    return parsed;
  };
  return new GraphQLScalarType<T, unknown>({
    name: rule.name,
    description: rule.description,
    extensions: { jsonSchema: rule.jsonSchema },
    parseValue: parse,
    parseLiteral: (node: ValueNode, variables) => parse(valueFromASTUntyped(node, variables)),
    serialize: (value) => rule.serialize?.(value) ?? value,
  });
}

const CONTROL = /[\u0000-\u001f\u007f]/;
const NUL = '\u0000';
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Text that the database keeps as it is: no U+0000, and no half of a surrogate pair. */
function isStorable(text: string): boolean {
  return !text.includes(NUL) && !LONE_SURROGATE.test(text);
}

/** The name of a record: 1–255 characters, no control characters, no spaces at the ends. */
export const NameScalar = defineScalar<string>({
  name: 'Name',
  description: 'A name of 1–255 characters without control characters or spaces at its ends.',
  allowed: 'a string of 1–255 characters without control characters or spaces at its ends',
  jsonSchema: { type: 'string', minLength: 1, maxLength: 255 },
  parse: (value) => (isLine(value, 1) ? value : undefined),
});

/** True for a string of `lengthMin`–255 characters without control characters or spaces at its ends. */
export function isLine(value: unknown, lengthMin: number): value is string {
  if (typeof value !== 'string' || value.length < lengthMin || value.length > 255) return false;
  return value.trim() === value && !CONTROL.test(value) && isStorable(value);
}

/** Free text of up to 4 096 characters. */
export const TextScalar = defineScalar<string>({
  name: 'Text',
  description: 'Free text of up to 4096 characters.',
  allowed: 'a string of at most 4096 characters, without U+0000 and half surrogate pairs',
  jsonSchema: { type: 'string', maxLength: 4096 },
  parse: (value) =>
    typeof value === 'string' && value.length <= 4096 && isStorable(value) ? value : undefined,
});

/** What a client presents to be judged: any string of up to 1 024 characters, so that a strange one gets a verdict. */
export const PresentedScalar = defineScalar<string>({
  name: 'Presented',
  description: 'Any string of up to 1024 characters, as a client presents it.',
  allowed: 'a string of at most 1024 characters',
  jsonSchema: { type: 'string', maxLength: 1024 },
  parse: (value) => (typeof value === 'string' && value.length <= 1024 ? value : undefined),
});

/** A client's nonce: 1–128 characters. */
export const NonceScalar = defineScalar<string>({
  name: 'Nonce',
  description: 'A string of 1–128 characters, made anew for each request.',
  allowed: 'a string of 1–128 characters',
  jsonSchema: { type: 'string', minLength: 1, maxLength: 128 },
  parse: (value) => (typeof value === 'string' && value !== '' && value.length <= 128 ? value : undefined),
});

const ISO_DATE_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;
const FIRST = Date.parse('0001-01-01T00:00:00Z');
/** Later ones would be written with a year of six digits, which hardly anyone reads. */
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** An instant. Written as ISO 8601 in UTC with milliseconds; a date alone means its first instant in UTC. */
export const DateTimeScalar = defineScalar<Date>({
  name: 'DateTime',
  description: 'An instant: ISO 8601, written in UTC with milliseconds.',
  allowed: 'an ISO 8601 date-time with a time zone, such as "2027-01-31T12:00:00Z"',
  jsonSchema: { type: 'string', format: 'date-time' },
  parse(value) {
    if (typeof value !== 'string' || !ISO_DATE_TIME.test(value)) return undefined;
    const millis = Date.parse(value);
    // Date.parse rolls 31 February over into March; such a date is refused instead.
    const day = Number(value.slice(8, 10));
    const lastDay = new Date(Date.UTC(Number(value.slice(0, 4)), Number(value.slice(5, 7)), 0)).getUTCDate();
    return millis >= FIRST && millis <= LAST && day <= lastDay ? new Date(millis) : undefined;
  },
  serialize: (value) => (value instanceof Date ? isoText(value) : value),
});

/** A whole number beyond GraphQL's 32 bits, exact up to 2^53. */
export const SafeIntScalar = defineScalar<number>({
  name: 'SafeInt',
  description: 'A whole number, exact up to 2^53 - 1.',
  allowed: 'a whole number between -(2^53 - 1) and 2^53 - 1',
  jsonSchema: { type: 'integer', format: 'int64' },
  parse: (value) => (Number.isSafeInteger(value) ? (value as number) : undefined),
});

/** Nesting of JSON values is bounded, so that no reader of them ever runs out of stack. */
const JSON_DEPTH_MAX = 32;

function isJson(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isStorable(value);
  // JSON.parse makes Infinity of 1e999, which would be stored as null.
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return value !== undefined;
  if (depth === JSON_DEPTH_MAX) return false;
  return Object.entries(value).every(([key, item]) => isStorable(key) && isJson(item, depth + 1));
}

/** Any JSON value, null included. */
export const JsonScalar = defineScalar<unknown>({
  name: 'JSON',
  description: 'Any JSON value, at most 32 levels deep.',
  allowed: `a JSON value of at most ${JSON_DEPTH_MAX} levels, without U+0000, half surrogate pairs and infinite numbers`,
  jsonSchema: { description: 'Any JSON value.' },
  parse: (value) => (isJson(value, 0) ? value : undefined),
});

/** A JSON object. */
export const JsonObjectScalar = defineScalar<Record<string, unknown>>({
  name: 'JSONObject',
  description: 'A JSON object, at most 32 levels deep.',
  allowed: `a JSON object of at most ${JSON_DEPTH_MAX} levels, without U+0000, half surrogate pairs and infinite numbers`,
  jsonSchema: { type: 'object', additionalProperties: true },
  parse: (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value, 0)
      ? (value as Record<string, unknown>)
      : undefined,
});
