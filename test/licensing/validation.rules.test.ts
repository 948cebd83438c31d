import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generateKey, lookupOf, maskKey } from '../../src/licensing/licenses/license-key.rules.js';
import type { LicenseFacts, ValidationRequest } from '../../src/licensing/licenses/validation/facts.js';
import { VERDICT_CODES, judge } from '../../src/licensing/licenses/validation/verdict.rules.js';
import type { VerdictCode } from '../../src/licensing/licenses/validation/verdict.rules.js';

const NOW = new Date('2026-01-15T12:00:00.000Z');

const moment = fc.integer({ min: -3, max: 3 }).map((offset) => new Date(NOW.getTime() + offset));
const productName = fc.constantFrom('Alpha', 'Beta');

const facts: fc.Arbitrary<LicenseFacts> = fc.record({
  licenseId: fc.integer({ min: 1 }),
  key: fc.string(),
  status: fc.constantFrom('active', 'suspended', 'revoked'),
  userStatus: fc.constantFrom('active', 'banned', null),
  expiresAt: fc.option(moment),
  seats: fc.constantFrom(-1, 1, 100),
  product: fc.option(productName),
  customer: fc.option(fc.string()),
  addons: fc.array(fc.string()),
  variables: fc.constant({}),
  userVariables: fc.constant({}),
  sessionTtl: fc.option(fc.integer({ min: 60, max: 86_400 })),
  rules: fc.constant([]),
  whitelists: fc.constant([]),
});

const request: fc.Arbitrary<ValidationRequest> = fc.record({
  key: fc.string(),
  product: fc.oneof(productName, fc.constant(null), fc.constant(undefined)),
  version: fc.option(fc.string()),
  identifier: fc.option(fc.string()),
  ip: fc.constant('203.0.113.7'),
  agent: fc.string(),
  header: fc.constant(() => undefined),
});

const known = fc.option(facts, { nil: undefined });

/** Every check that fails, in the documented order. */
function failing(about: LicenseFacts | undefined, { product }: ValidationRequest): VerdictCode[] {
  if (!about) return ['NOT_FOUND'];
  const checks: [VerdictCode, boolean][] = [
    ['BANNED', about.userStatus === 'banned'],
    ['REVOKED', about.status === 'revoked'],
    ['SUSPENDED', about.status === 'suspended'],
    ['EXPIRED', about.expiresAt !== null && about.expiresAt.getTime() <= NOW.getTime()],
    ['PRODUCT_MISMATCH', product != null && product !== about.product],
  ];
  return checks.filter(([, fails]) => fails).map(([code]) => code);
}

describe('judge', () => {
  it('says the first check that fails, in the documented order, or VALID', () => {
    fc.assert(
      fc.property(known, request, (about, asked) => {
        const [expected = 'VALID'] = failing(about, asked);
        expect(judge(about, asked, NOW).code).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('says exactly one of the documented codes, in their order', () => {
    const order = Object.keys(VERDICT_CODES);
    const documented =
      'NOT_FOUND BANNED REVOKED SUSPENDED EXPIRED PRODUCT_MISMATCH RULE_DENIED VERSION_REQUIRED VERSION_DENIED ' +
      'WHITELIST_REQUIRED WHITELIST_MISMATCH WHITELIST_LIMIT_REACHED SEAT_LIMIT_REACHED VALID';
    expect(order.join(' ')).toBe(documented);
    fc.assert(
      fc.property(known, request, (about, asked) => {
        expect(order).toContain(judge(about, asked, NOW).code);
      }),
    );
  });

  it('is never VALID for an expired, suspended or revoked license, or a banned user', () => {
    fc.assert(
      fc.property(facts, request, (about, asked) => {
        const isBarred =
          about.status !== 'active' ||
          about.userStatus === 'banned' ||
          (about.expiresAt !== null && about.expiresAt <= NOW);
        fc.pre(isBarred);
        expect(judge(about, asked, NOW).code).not.toBe('VALID');
      }),
    );
  });

  it('is pure: the same answer again, and what it was given is unchanged', () => {
    fc.assert(
      fc.property(known, request, (about, asked) => {
        const before = structuredClone(about);
        const now = new Date(NOW);
        const first = judge(about && Object.freeze(about), Object.freeze(asked), now);
        expect(judge(about, asked, now)).toEqual(first);
        expect([about, now]).toEqual([before, NOW]);
      }),
    );
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...Array.from('0O1ILUloiu- 7ΐßſǰ')), minLength: 20, maxLength: 40 }),
);
const generated = fc
  .array(fc.constantFrom(...Array.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ')), { minLength: 25, maxLength: 25 })
  .map((characters) => characters.join('').replace(/(.{5})(?!$)/g, '$1-'));

describe('lookupOf', () => {
  it('is idempotent', () => {
    fc.assert(
      fc.property(anyText, (key) => {
        expect(lookupOf(lookupOf(key))).toBe(lookupOf(key));
      }),
      { numRuns: 5000 },
    );
    expect(lookupOf(lookupOf('Schlüssel-ΐ'))).toBe(lookupOf('Schlüssel-ΐ'));
  });

  it('is the same for a generated key however it is typed', () => {
    const typing = fc.record({
      dash: fc.constantFrom('', '-', ' ', '--'),
      zero: fc.constantFrom('0', 'O', 'o'),
      one: fc.constantFrom('1', 'I', 'i', 'L', 'l'),
      lower: fc.boolean(),
      around: fc.constantFrom('', ' ', '\n'),
    });
    fc.assert(
      fc.property(generated, typing, (key, { dash, zero, one, lower, around }) => {
        const folded = lower ? key.toLowerCase() : key;
        const typed = folded.replaceAll('-', dash).replaceAll('0', zero).replaceAll('1', one);
        expect(lookupOf(around + typed + around)).toBe(key.replaceAll('-', ''));
      }),
    );
  });

  it("ignores only the case of anyone's own key", () => {
    expect(lookupOf('My-Own-Key')).toBe('MY-OWN-KEY');
    expect(lookupOf('MyOwnKey')).not.toBe(lookupOf('My-Own-Key'));
    expect(lookupOf('O-1')).not.toBe(lookupOf('0-I'));
  });

  it('tells different generated keys apart', () => {
    fc.assert(
      fc.property(generated, generated, (one, other) => {
        expect(lookupOf(one) === lookupOf(other)).toBe(one === other);
      }),
    );
  });
});

describe('generateKey', () => {
  it('makes 5×5 Crockford characters, every one another', () => {
    const keys = Array.from({ length: 20_000 }, generateKey);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.filter((key) => !/^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){4}$/.test(key))).toEqual([]);
    const used = new Set(keys.join('').replaceAll('-', ''));
    expect([...used].sort().join('')).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
  });
});

describe('maskKey', () => {
  it('shows at most the last 6 characters and at most half, as text that a database takes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (key) => {
        const characters = Array.from(key);
        const masked = maskKey(key);
        const shown = Array.from(masked).length - 1;
        expect(shown).toBe(Math.min(6, Math.floor(characters.length / 2)));
        expect([masked.isWellFormed(), masked.includes('\u0000')]).toEqual([true, false]);
      }),
    );
    expect([maskKey('ABCDEF'), maskKey('A1B2C-D3E4F')]).toEqual(['…DEF', '…D3E4F']);
  });
});
