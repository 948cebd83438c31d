import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Client } from 'pg';
import { withoutValues } from '../../../src/platform/tracing/without-values.js';

describe('withoutValues', () => {
  it.each([
    [
      `select * from "license" where key = 'A-B' and id = 7`,
      `select * from "license" where key = ? and id = ?`,
    ],
    [`insert into t values ('it''s', E'a\\'b', 1.5, null)`, `insert into t values (?, ?, ?, null)`],
    ['select $1, $12 from t1', 'select $1, $12 from t1'],
    [`select 1 -- it's one\n  , 'x'`, `select ? , ?`],
    [`select "o'clock", 'x'`, `select "o'clock", ?`],
    [`select 'cut of`, 'select ?'],
  ])('%j is %j', (text, masked) => {
    expect(withoutValues(text)).toBe(masked);
  });

  it('shows nothing of a value, whatever it is made of', () => {
    const { escapeLiteral } = new Client();
    const value = fc.string({
      unit: fc.constantFrom("'", '\\', '"', '-', '\n', ' ', '$', '1', 'e', ',', 'é'),
    });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (values) => {
        const list = values.map((each) => escapeLiteral(each)).join(', ');
        expect(withoutValues(`select ${list} from t`)).toBe(
          `select ${values.map(() => '?').join(', ')} from t`,
        );
      }),
    );
  });
});
