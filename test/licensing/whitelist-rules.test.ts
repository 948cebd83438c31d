import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  checkSource,
  isLimit,
  normaliseAddress,
  normaliseCidr,
  normaliseValue,
  sourceOf,
  valuesMax,
} from '../../src/licensing/whitelists/whitelist.rules.js';

describe('normaliseAddress', () => {
  it.each([
    ['192.168.1.1', '192.168.1.1'],
    ['0.0.0.0', '0.0.0.0'],
    ['::1', '::1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::FFFF:a00:1', '10.0.0.1'],
    ['0:0:0:0:0:ffff:0:0', '0.0.0.0'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::10.0.0.1', '::a00:1'],
  ])('%s is %s', (text, normal) => {
    expect(normaliseAddress(text)).toBe(normal);
  });

  it.each([
    '',
    ' ',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '256.1.1.1',
    '1.2.3.4/8',
    ':::',
    'localhost',
    '::1]',
    'g::',
  ])('%j is none', (text) => {
    expect(normaliseAddress(text)).toBeUndefined();
  });

  it('is its own normal form, and every way of writing one address has the same', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const normal = normaliseAddress(text);
        expect(normal).toBeDefined();
        expect(normaliseAddress(normal ?? '')).toBe(normal);
        expect(normaliseAddress(text.toUpperCase())).toBe(normal);
      }),
    );
    fc.assert(
      fc.property(fc.ipV4(), (text) => {
        expect(normaliseAddress(text)).toBe(text);
        expect(normaliseAddress(`::ffff:${text}`)).toBe(text);
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        normaliseAddress(text);
        normaliseCidr(text);
      }),
    );
  });
});

describe('normaliseCidr', () => {
  it.each([
    ['10.1.2.3', '10.1.2.3'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.1.2.3/32', '10.1.2.3'],
    ['10.1.2.3/0', '0.0.0.0/0'],
    ['2001:db8:ffff::1/32', '2001:db8::/32'],
    ['2001:db8::1/128', '2001:db8::1'],
    ['::1/0', '::/0'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ['::ffff:10.1.2.3/128', '10.1.2.3'],
    ['::ffff:10.1.2.3/80', '::/80'],
  ])('%s is %s', (text, normal) => {
    expect(normaliseCidr(text)).toBe(normal);
  });

  it.each([
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '/8',
    'a/8',
    '10/8',
  ])('%j is none', (text) => {
    expect(normaliseCidr(text)).toBeUndefined();
  });

  it('is its own normal form', () => {
    const ranges = fc.oneof(
      fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
      fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })),
    );
    fc.assert(
      fc.property(ranges, ([address, length]) => {
        const normal = normaliseCidr(`${address}/${length}`);
        expect(normal).toBeDefined();
        expect(normaliseCidr(normal ?? '')).toBe(normal);
      }),
    );
  });
});

describe('normaliseValue', () => {
  it('takes the spaces off a header, since they never arrive, and leaves those of a field', () => {
    expect(normaliseValue('header', ' a b ')).toBe('a b');
    expect(normaliseValue('field', ' a b ')).toBe(' a b ');
  });

  it.each(['', 'a\nb', 'a\u0000', 'a\u0085', 'a\ud800', 'x'.repeat(256)])('refuses %j', (text) => {
    expect([normaliseValue('header', text), normaliseValue('field', text)]).toEqual([undefined, undefined]);
  });

  it('takes 255 characters', () => {
    expect(normaliseValue('field', 'x'.repeat(255))).toHaveLength(255);
  });
});

describe('sources', () => {
  it.each([
    [{ type: 'header', header: 'X-HWID', field: null }, 'header:X-HWID'],
    [{ type: 'field', header: null, field: 'hwid' }, 'field:hwid'],
    [{ type: 'ip', header: null, field: null }, 'ip'],
  ] as const)('%j is %s', (source, text) => {
    expect(sourceOf(source)).toBe(text);
    expect(checkSource(source)).toEqual(source);
  });
});

describe('limits', () => {
  it('are -1 to 1000; a closed list has room for what an administrator sets', () => {
    expect([-2, -1, 0, 1000, 1001, 1.5, NaN].map(isLimit)).toEqual([
      false,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect([-1, 0, 3].map(valuesMax)).toEqual([Infinity, 1000, 3]);
  });
});
