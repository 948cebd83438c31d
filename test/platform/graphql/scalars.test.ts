import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseValue } from 'graphql';
import {
  DateTimeScalar,
  JsonObjectScalar,
  JsonScalar,
  NameScalar,
  PresentedScalar,
  TextScalar,
} from '../../../src/platform/graphql/scalars.js';

const accepts = (scalar: { parseValue(value: unknown): unknown }, value: unknown) => {
  try {
    scalar.parseValue(value);
    return true;
  } catch (error) {
    expect((error as Error).message).toMatch(/^must be .+; got /s);
    return false;
  }
};

describe('DateTime', () => {
  const FIRST = new Date('0001-01-01T00:00:00.000Z');
  const LAST = new Date('9999-12-31T23:59:59.999Z');
  const instant = fc.date({ min: FIRST, max: LAST, noInvalidDate: true });

  it('reads what it writes, to the millisecond', () => {
    fc.assert(
      fc.property(instant, (date) => {
        const written = DateTimeScalar.serialize(date) as string;
        expect(written).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(DateTimeScalar.parseValue(written)).toEqual(date);
      }),
    );
  });

  it('whatever it reads, it writes so that it can be read again', () => {
    const part = (length: number, max: number) =>
      fc.integer({ min: 0, max }).map((value) => String(value).padStart(length, '0'));
    const offset = fc.oneof(
      fc.constant('Z'),
      fc.tuple(fc.constantFrom('+', '-'), part(2, 25), part(2, 61)).map(([sign, h, m]) => `${sign}${h}:${m}`),
    );
    const text = fc
      .tuple(part(4, 9999), part(2, 13), part(2, 32), part(2, 25), part(2, 61), part(2, 61), offset)
      .map(([y, mo, d, h, mi, s, zone]) => `${y}-${mo}-${d}T${h}:${mi}:${s}${zone}`);
    fc.assert(
      fc.property(fc.oneof(text, fc.constant('9999-12-31T23:59:59-01:00')), (given) => {
        if (!accepts(DateTimeScalar, given)) return;
        const read = DateTimeScalar.parseValue(given);
        expect(DateTimeScalar.parseValue(DateTimeScalar.serialize(read))).toEqual(read);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T12:00Z', '2027-01-31T12:00:00.000Z'],
    ['2027-01-31T12:00:00+02:00', '2027-01-31T10:00:00.000Z'],
    ['2024-02-29T00:00:00.123456789Z', '2024-02-29T00:00:00.123Z'],
  ])('reads %s', (given, written) => {
    expect(DateTimeScalar.serialize(DateTimeScalar.parseValue(given))).toBe(written);
  });

  it.each([
    ...['2027-02-31', '2026-02-29', '2027-13-01', '2027-00-10', '0000-01-01', '2027-01-31T12:00:00'],
    ...['2027-01-31 12:00:00Z', 'tomorrow', '', '1700000000', '+010000-01-01T00:00:00Z', 1_700_000_000, null],
    ...['9999-12-31T23:59:59-01:00', '2027-01-31T12:00:00+99:00', '2027-04-31T00:00:00Z', true, {}],
  ])('refuses %j', (given) => {
    expect(accepts(DateTimeScalar, given)).toBe(false);
  });
});

describe('Name', () => {
  it('takes exactly the lines of 1–255 characters without spaces at their ends', () => {
    const unit = fc.oneof(fc.constantFrom('\n', '\t', ' ', '\u0000', '\u007f', '\ud800', '😀'), fc.string());
    const text = fc.oneof(
      fc.string(),
      fc.array(unit).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (value) => {
        const isName =
          value.length >= 1 &&
          value.length <= 255 &&
          value === value.trim() &&
          value.isWellFormed() &&
          !/[\u0000-\u001f\u007f]/.test(value);
        expect(accepts(NameScalar, value)).toBe(isName);
        if (isName) expect(NameScalar.parseValue(value)).toBe(value);
      }),
    );
  });

  it('counts to 255', () => {
    expect(accepts(NameScalar, 'a'.repeat(255))).toBe(true);
    expect(accepts(NameScalar, 'a'.repeat(256))).toBe(false);
  });

  it('takes no value but text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        if (typeof value !== 'string') expect(accepts(NameScalar, value)).toBe(false);
      }),
    );
  });
});

describe('Text and Presented', () => {
  it('Text: up to 4096 characters that can be stored; Presented: any 1024', () => {
    expect(accepts(TextScalar, `${'a'.repeat(4095)}\n`)).toBe(true);
    expect(accepts(TextScalar, 'a'.repeat(4097))).toBe(false);
    expect(['\u0000', '\udfff'].map((text) => accepts(TextScalar, text))).toEqual([false, false]);
    expect(['', '\u0000', '\udfff', 'a'.repeat(1024)].every((text) => accepts(PresentedScalar, text))).toBe(
      true,
    );
    expect(accepts(PresentedScalar, 'a'.repeat(1025))).toBe(false);
  });
});

describe('JSON', () => {
  const lists = (depth: number, inner: unknown): unknown =>
    Array.from({ length: depth }).reduce<unknown>((value) => [value], inner);
  const objects = (depth: number, inner: unknown): unknown =>
    Array.from({ length: depth }).reduce<unknown>((value) => ({ a: value }), inner);

  it('takes 32 levels and no more, whatever stands in the last', () => {
    for (const nest of [lists, objects]) {
      for (const inner of ['a', null, 5]) {
        expect([nest(32, inner), nest(33, inner)].map((value) => accepts(JsonScalar, value))).toEqual([
          true,
          false,
        ]);
      }
      for (const inner of [[], {}]) {
        expect([nest(31, inner), nest(32, inner)].map((value) => accepts(JsonScalar, value))).toEqual([
          true,
          false,
        ]);
      }
    }
  });

  it('refuses a depth that would overflow the stack, at once', () => {
    expect(accepts(JsonScalar, lists(100_000, 1))).toBe(false);
  });

  it('takes any flat enough JSON as it is, and an object where one is asked for', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        const isStorable = !text.includes('\\u0000') && !/\\ud[89a-f]/.test(text);
        expect(accepts(JsonScalar, value)).toBe(isStorable);
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
        expect(accepts(JsonObjectScalar, value)).toBe(isStorable && isObject);
      }),
    );
  });

  it('refuses what the database would not keep: U+0000, half surrogate pairs, infinite numbers', () => {
    for (const bad of ['\u0000', '\ud800', JSON.parse('1e999') as number, -Infinity, NaN]) {
      expect([bad, [bad], { a: { b: bad } }].map((value) => accepts(JsonScalar, value))).toEqual([
        false,
        false,
        false,
      ]);
      if (typeof bad === 'string') expect(accepts(JsonScalar, { [bad]: 1 })).toBe(false);
    }
  });

  it('keeps members called __proto__ and constructor', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as object;
    expect(JSON.stringify(JsonObjectScalar.parseValue(value))).toBe('{"__proto__":{"a":1},"constructor":2}');
  });

  it('reads literals too, infinite ones not', () => {
    expect(JsonScalar.parseLiteral(parseValue('{ a: [1, "b", null, true] }'))).toEqual({
      a: [1, 'b', null, true],
    });
    expect(() => JsonScalar.parseLiteral(parseValue('1e999'))).toThrow('must be');
  });
});
