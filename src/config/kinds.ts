import { BlockList, isIP } from 'node:net';
import { z } from 'zod';

/*
 * The kinds of value an option can have. Each takes text, as the environment has nothing else and the file is read
 * the same way, and each describes what it allows: that description is what an operator reads when a value is refused.
 */

/** Any text of at least `lengthMin` characters. */
export const text = (lengthMin: number) =>
  z
    .string()
    .min(lengthMin)
    .describe(lengthMin > 1 ? `${lengthMin} or more characters` : 'text');

/** What goes into a header `Authorization: Bearer …`, which a space would end (RFC 6750, section 2.1). */
export const bearer = (lengthMin: number) =>
  z
    .string()
    .min(lengthMin)
    .regex(/^[\x21-\x7e]+$/)
    .describe(`${lengthMin} or more visible ASCII characters, without spaces`);

/** A whole number within both bounds. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .describe(`a whole number from ${min} to ${max}`);

/** One of the words listed. */
export const oneOf = <const Word extends string>(words: readonly Word[]) =>
  z.enum(words).describe(`one of ${words.join(', ')}`);

/** A comma-separated text, or a list, whose every item is of the given kind. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .preprocess((raw) => (typeof raw === 'string' ? split(raw) : raw), z.array(item))
    .describe(`a list; each item ${item.description ?? 'any text'}`);

/** As `listOf`, without order or repetition, and never empty. */
export const setOf = <Item extends z.ZodType>(item: Item) =>
  z
    .preprocess((raw) => (typeof raw === 'string' ? split(raw) : raw), z.array(item).min(1))
    .transform((items): ReadonlySet<z.output<Item>> => new Set(items))
    .describe(`a list of one or more; each item ${item.description ?? 'any text'}`);

/** What a server can listen on: an address of this machine, or a name that resolves to one. */
export const host = () =>
  z
    .string()
    .refine((value) => isIP(value) !== 0 || isHostName(value))
    .describe('an IP address or host name, without port');

/** An address, or a range of addresses in CIDR notation. */
export const addressRange = () =>
  z.string().refine(isAddressRange).describe('an IP address or CIDR range, such as 10.0.0.0/8');

/** Waits between attempts, the first of which is made at once. */
export const waits = () =>
  listOf(integer(0, 604_800))
    .refine((seconds) => seconds[0] === 0 && seconds.length <= 20)
    .describe('a list of 1 to 20 whole numbers from 0 to 604800, the first one 0');

/** The base of links: one trailing slash more or less must not matter to those who append a path. */
export const baseUrl = () =>
  z
    .string()
    .refine(isBaseUrl)
    .transform((value) => new URL(value).href.replace(/\/+$/, ''))
    .describe('an http:// or https:// URL without credentials, query and fragment');

/** A part of a whole. */
export const share = () =>
  z
    .string()
    .regex(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/)
    .transform(Number)
    .describe('a number from 0 to 1');

/** Headers as OpenTelemetry writes them. */
export const headerPairs = () =>
  z
    .string()
    .regex(/^(\s*[\w.-]+\s*=[^,]*(,|$))*$/)
    .refine(isDecodable)
    .transform((pairs) => Object.fromEntries(split(pairs).map(headerOf)))
    .describe('name=value pairs with commas in between, values percent-encoded');

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function headerOf(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
}

/** The id of something on the chat platform. */
export const snowflake = () =>
  z
    .string()
    .regex(/^\d{15,20}$/)
    .describe('an id of 15 to 20 digits');

/** Where a Postgres is, as libpq writes it. */
export const postgresUrl = () =>
  z
    .string()
    .refine((value) => /^postgres(ql)?:\/\/\S+$/.test(value) && URL.canParse(value))
    .describe('a postgres:// or postgresql:// URL, special characters of the password percent-encoded');

function split(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function isHostName(value: string): boolean {
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
  // A name that ends in a number is a mistyped address (127.0.0.256, 10.0.0), as the URL standard has it too.
  return (
    value.length <= 253 &&
    new RegExp(`^(${label}\\.)*${label}$`, 'i').test(value) &&
    !/(^|\.)\d+$/.test(value)
  );
}

function isAddressRange(value: string): boolean {
  const [address = '', prefix, ...rest] = value.split('/');
  const family = isIP(address);
  // A zone (fe80::1%eth0) names an interface of this machine; it means nothing in a header and Express refuses it.
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  if (prefix === undefined) return true;
  // Express refuses /0 when it starts. It would let every caller choose its own address anyway.
  if (!/^[1-9]\d{0,2}$/.test(prefix)) return false;
  try {
    new BlockList().addSubnet(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
    return true;
  } catch {
    return false;
  }
}

function isBaseUrl(value: string): boolean {
  if (!/^https?:\/\//i.test(value)) return false;
  const url = URL.parse(value);
  return url !== null && !/[?#\s]/.test(value) && url.username === '' && url.password === '';
}
