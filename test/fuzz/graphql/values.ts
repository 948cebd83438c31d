import fc from 'fast-check';
import { isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import type { GraphQLInputObjectType, GraphQLInputType } from 'graphql';
import { hostileText, hostileValue } from '../hostile.js';
import type { Vocabulary } from '../world.js';

/** Draws a value of an arbitrary, so that what is generated can be written down as it is put together. */
export type Draw = fc.GeneratorValue;

// Without a bias: it is for values, where the first and the last are of more interest.
const evenly = (max: number) => fc.noBias(fc.nat({ max }));
export const upTo = (draw: Draw, max: number): number => draw(evenly, max);
export const oneOf = <T>(draw: Draw, values: readonly T[]): T => values[upTo(draw, values.length - 1)] as T;
/** True `times` times out of `outOf`. */
export const happens = (draw: Draw, times: number, outOf: number): boolean => upTo(draw, outOf - 1) < times;

const hostile = () => hostileValue;
const anyText = () => hostileText;
const shortText = () => fc.stringMatching(/^[a-z]{1,6}$/);
const NOW = Date.parse('2026-01-15T12:00:00Z');
const DAY = 86_400_000;
/** Deeper inputs are left empty. */
const DEPTH_MAX = 4;
/** Few: thousands of rows would be asked for, or made, else. */
const INTEGERS: Readonly<Record<string, readonly number[]>> = {
  first: [1, 2, 3, 5, 0, 500, 501],
  count: [1, 2, 3, 0, -1],
  limit: [1, 2, 100, -1, 0],
  page: [1, 2, 0],
  id: [1, 2, 3, 4, 5, 8, 13],
  ids: [1, 2, 3, 4, 5, 8, 13],
  ttl: [3_600, 86_400, 1],
};

/** A value that a type allows, as far as it tells, and now and then one that it doesn't; as JSON has it. */
export function valueOf(
  draw: Draw,
  name: string,
  type: GraphQLInputType,
  words: Vocabulary,
  depth = 0,
): unknown {
  if (happens(draw, 1, 24)) return draw(hostile);
  if (isNonNullType(type)) return good(draw, name, type.ofType, words, depth);
  return happens(draw, 1, 10) ? null : good(draw, name, type, words, depth);
}

function good(draw: Draw, name: string, type: GraphQLInputType, words: Vocabulary, depth: number): unknown {
  if (isNonNullType(type)) return good(draw, name, type.ofType, words, depth);
  if (isListType(type)) {
    const inner = type.ofType;
    if (happens(draw, 1, 12)) return good(draw, name, inner, words, depth);
    return Array.from({ length: upTo(draw, 3) }, () => valueOf(draw, name, inner, words, depth + 1));
  }
  if (isEnumType(type))
    return oneOf(
      draw,
      type.getValues().map((value) => value.name),
    );
  if (isInputObjectType(type)) return depth > DEPTH_MAX ? {} : objectOf(draw, type, words, depth);
  return scalar(draw, name, type.name, words);
}

function objectOf(
  draw: Draw,
  type: GraphQLInputObjectType,
  words: Vocabulary,
  depth: number,
): Record<string, unknown> {
  const members = Object.values(type.getFields()).flatMap((field) => {
    const isRequired = isNonNullType(field.type) && field.defaultValue === undefined;
    if (!(isRequired ? happens(draw, 29, 30) : happens(draw, 1, 3))) return [];
    return [[field.name, valueOf(draw, field.name, field.type, words, depth + 1)] as const];
  });
  return Object.fromEntries(members);
}

function scalar(draw: Draw, name: string, type: string, words: Vocabulary): unknown {
  switch (type) {
    case 'Boolean':
      return draw(fc.boolean);
    case 'Int':
    case 'SafeInt':
      return oneOf(draw, INTEGERS[name] ?? [-1, 0, 1, 2, 7, 30, 60, 3_600, 86_400, 2 ** 31 - 1]);
    case 'Float':
      return oneOf(draw, [0, -1, 0.5, 1e9]);
    case 'DateTime':
      return new Date(NOW + (upTo(draw, 800) - 400) * DAY).toISOString();
    case 'JSON':
      return happens(draw, 1, 2) ? draw(hostile) : oneOf(draw, ['dark', 1, true, null, { a: [1] }]);
    case 'JSONObject':
      return jsonObject(draw, words);
    default:
      return text(draw, name, words);
  }
}

/** With members that some object here has, whatever they are worth. */
function jsonObject(draw: Draw, words: Vocabulary): Record<string, unknown> {
  const names = ['hwid', 'Alpha', 'range', 'values', 'cidr', 'tier', 'countries', 'x-a', '__proto__', ''];
  const members = Array.from({ length: upTo(draw, 3) }, () => {
    const value = oneOf<() => unknown>(draw, [
      () => draw(hostile),
      () => text(draw, 'name', words),
      () => ['US', '10.0.0.0/8'],
      () => ({ values: ['a'], limit: 2 }),
    ]);
    return [oneOf(draw, names), value()] as const;
  });
  return Object.fromEntries(members);
}

function text(draw: Draw, name: string, words: Vocabulary): string {
  const last = /[A-Z][a-z]+$/.exec(name)?.[0].toLowerCase();
  const known = words[name] ?? words[last ?? ''] ?? [];
  if (known.length > 0 && happens(draw, 6, 7)) return oneOf(draw, known);
  return happens(draw, 1, 2) ? draw(anyText) : draw(shortText);
}
