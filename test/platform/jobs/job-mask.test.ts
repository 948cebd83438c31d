import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maskText, maskPayload } from '../../../src/platform/jobs/job-mask.js';

const KEY = '97TF3-MV9H9-ZM4JF-S6333-2VBKC';
const REDEEM = 'PJ3BD-R7SW6-S9KFJ-ARVQ8';

describe('maskPayload', () => {
  it.each([
    [{ id: 7 }, { id: 7 }],
    [
      { ids: [1, 2, 3], at: '2026-01-15T12:00:00.000Z' },
      { ids: [1, 2, 3], at: '2026-01-15T12:00:00.000Z' },
    ],
    [{ secret: 'x' }, { secret: '***' }],
    [{ nested: { accessToken: 'x' } }, { nested: { accessToken: '***' } }],
    [{ text: `for ${KEY}` }, { text: 'for …-2VBKC' }],
    [{ text: REDEEM.toLowerCase() }, { text: '…-arvq8' }],
    [{ license: 'short' }, { license: '…rt' }],
    [{ licenseKey: 'a key of my own' }, { licenseKey: '…my own' }],
    [{ license_key: '\\"quoted\\' }, { license_key: '…ted\\' }],
    [{ licenseId: 12 }, { licenseId: 12 }],
    [null, {}],
  ])('%j is kept as %j', (payload, kept) => {
    expect(JSON.parse(maskPayload(payload) ?? 'null')).toEqual(kept);
  });

  it('keeps nothing of what is too long to be made of ids', () => {
    expect(maskPayload({ text: 'x'.repeat(4096) })).toBeNull();
  });

  it('stays JSON, and tells no key, whatever the payload', () => {
    const payload = fc.dictionary(
      fc.constantFrom('license', 'token', 'note', 'licenseKey'),
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string().map((text) => `${text}${KEY}`),
        fc.string({ unit: fc.constantFrom('"', '\\', 'a') }),
        fc.integer(),
      ),
    );
    fc.assert(
      fc.property(payload, (given) => {
        const kept = maskPayload(given);
        fc.pre(kept !== null);
        expect(() => JSON.parse(kept) as unknown).not.toThrow();
        expect(kept).not.toContain('MV9H9');
      }),
    );
  });
});

describe('maskText', () => {
  it('hides secrets and keys, cuts, and can be stored', () => {
    const text = maskText(`\u0000 ${KEY} Bearer abcdefgh\ud800 ${'x'.repeat(2000)}`);
    expect(text).toHaveLength(1000);
    expect(text).toMatch(/^\ufffd …-2VBKC Bearer \*\*\*\ufffd x+…$/);
  });
});
