import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  AlreadyExists,
  ERRORS,
  InvalidField,
  NotFound,
  failure,
  invalidFields,
  pointer,
  show,
} from '../../src/platform/errors.js';

describe('pointer', () => {
  it('is RFC 6901: its own examples', () => {
    const names = ['foo', '', 'a/b', 'c%d', 'e^f', 'g|h', 'i\\j', 'k"l', ' ', 'm~n'];
    expect(names.map((name) => pointer(name))).toEqual([
      ...['/foo', '/', '/a~1b', '/c%d', '/e^f', '/g|h', '/i\\j', '/k"l', '/ ', '/m~0n'],
    ]);
    expect([pointer(), pointer('a', 0, 'b/c')]).toEqual(['', '/a/0/b~1c']);
  });

  it('leads to the value it was made for, whatever the names', () => {
    const follow = (value: unknown, path: string) =>
      path
        .split('/')
        .slice(1)
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce((at, part) => new Map(Object.entries(at as object)).get(part) as unknown, value);
    const name = fc.oneof(fc.string(), fc.constantFrom('~', '/', '~1', '~0', '~01', '//', '__proto__'));
    fc.assert(
      fc.property(fc.array(name), (path) => {
        const value = path.reduceRight<unknown>(
          (inner, part) => Object.fromEntries([[part, inner]]),
          'found',
        );
        expect(follow(value, pointer(...path))).toBe('found');
      }),
    );
  });

  it('is different for different paths', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (one, two) => {
        expect(pointer(...one) === pointer(...two)).toBe(JSON.stringify(one) === JSON.stringify(two));
      }),
    );
  });
});

describe('show', () => {
  it('is JSON, and never long', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const shown = show(value);
        expect(shown.length).toBeLessThanOrEqual(80);
        if (!shown.endsWith('…')) expect(shown).toBe(JSON.stringify(value));
      }),
    );
  });

  it('has a word for what JSON has none for', () => {
    expect([show(undefined), show(Symbol('a'))]).toEqual(['undefined', 'Symbol(a)']);
  });
});

describe('errors', () => {
  it('have the documented status', () => {
    const made = [
      failure('MALFORMED_JSON', ''),
      new NotFound('API key', 'a'),
      new AlreadyExists('product', 'a'),
      new InvalidField('seats', 'must be more than 0'),
    ];
    expect(made.map(({ code, status }) => [code, status])).toEqual([
      ['MALFORMED_JSON', 400],
      ['API_KEY_NOT_FOUND', 404],
      ['ALREADY_EXISTS', 409],
      ['INVALID_FIELD', 422],
    ]);
    for (const { status } of Object.values(ERRORS)) expect(status).toBeGreaterThanOrEqual(400);
  });

  it('name the field, escaped where it is a pointer', () => {
    const { message, problems } = new InvalidField('a/b', 'must be c');
    expect([message, problems]).toEqual([
      'a/b must be c',
      [{ pointer: '/a~1b', code: 'INVALID_FIELD', detail: 'a/b must be c' }],
    ]);
  });

  it('of many fields take the code of the first, and tell all', () => {
    const unknown = { pointer: '/a', code: 'UNKNOWN_FIELD', detail: 'a is not known' };
    const invalid = { pointer: '/b', code: 'INVALID_FIELD', detail: 'b is wrong' };
    expect(invalidFields([unknown, invalid])).toMatchObject({ code: 'UNKNOWN_FIELD', status: 422 });
    expect(invalidFields([invalid, unknown])).toMatchObject({
      code: 'INVALID_FIELD',
      message: 'b is wrong; a is not known',
      problems: [invalid, unknown],
    });
  });
});
