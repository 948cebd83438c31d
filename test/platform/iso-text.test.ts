import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isoText } from '../../src/platform/iso-text.js';

describe('isoText', () => {
  it('is toISOString, at any time of any day, before 1970 and beyond the year 9999', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), fc.nat(86_399_999), (date, later) => {
        const day = Math.floor(date.getTime() / 86_400_000) * 86_400_000;
        // The second of a day is the one that is put together.
        for (const each of [date, date, new Date(day + later)]) {
          if (!Number.isNaN(each.getTime())) expect(isoText(each)).toBe(each.toISOString());
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('refuses what is no date, as toISOString does', () => {
    expect(() => isoText(new Date(Number.NaN))).toThrow(RangeError);
  });
});
