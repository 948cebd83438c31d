import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generateUserId, isEmail } from '../../src/licensing/users/user.rules.js';

describe('isEmail and generateUserId', () => {
  it("an address is something, one @ and something, without white space; ids don't repeat", () => {
    const part = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((s) => !/[\s@]/u.test(s));
    fc.assert(fc.property(part, part, (local, domain) => isEmail(`${local}@${domain}`)));
    fc.assert(fc.property(part, (text) => !isEmail(text) && !isEmail(`${text}@`) && !isEmail(`@${text}`)));
    fc.assert(fc.property(part, part, (a, b) => !isEmail(`${a}@${b}@${a}`) && !isEmail(`${a} @${b}`)));
    expect([isEmail(`${'a'.repeat(253)}@b`), isEmail(`${'a'.repeat(254)}@b`)]).toEqual([true, false]);
    expect(new Set(Array.from({ length: 1000 }, generateUserId)).size).toBe(1000);
  });
});
