import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { plainArray, textArray } from '../../../src/platform/db/array-text.js';
import { startApp } from '../../support/app.js';
import type { TestApp } from '../../support/app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

async function read<T>(type: string, array: string): Promise<T[]> {
  const [row] = await app.sql<{ elements: T[] }>(`select to_jsonb($1::${type}[]) as elements`, [array]);
  return row?.elements ?? [];
}

// What PostgreSQL can't hold (U+0000, halves of pairs) is refused long before it gets here.
const text = fc.string({ unit: 'binary' }).map((each) => each.replaceAll('\u0000', '').toWellFormed());
const odd = fc.constantFrom('', 'NULL', 'null', '"', '\\', '\\"', '{a,b}', ' ', ',', "'", 'a\nb', '\\N');

describe('arrays as one text', () => {
  it('PostgreSQL reads texts as they are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(fc.oneof(text, odd)), { maxLength: 20 }), async (values) => {
        expect(await read('text', textArray(values))).toEqual(values);
      }),
    );
  });

  it('PostgreSQL reads numbers and booleans as they are', async () => {
    const numbers = fc.array(fc.option(fc.maxSafeInteger()), { maxLength: 20 });
    const booleans = fc.array(fc.option(fc.boolean()), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(numbers, booleans, async (some, others) => {
        expect(await read('bigint', plainArray(some))).toEqual(some);
        expect(await read('boolean', plainArray(others))).toEqual(others);
      }),
    );
  });
});
