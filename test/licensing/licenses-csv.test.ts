import { beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import {
  guardFormula,
  joinNames,
  splitNames,
  unguardFormula,
} from '../../src/licensing/licenses/bulk/license-csv.rules.js';
import { activityNamed } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { recordStatements } from '../support/statements.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

const IMPORT = `mutation ($csv: String!, $onExisting: OnExisting) {
  importLicenses(csv: $csv, onExisting: $onExisting) { created updated skipped }
}`;
const EXPORT = `query ($first: Int, $after: String, $filter: LicenseFilterInput) {
  exportLicenses(first: $first, after: $after, filter: $filter) { csv count hasNextPage endCursor }
}`;

const importCsv = (csv: string, onExisting?: string) =>
  app.graphql(IMPORT, { csv, ...(onExisting && { onExisting }) });

async function exported(filter: object = {}, first = 500): Promise<string> {
  let csv = '';
  for (let after: string | null = null; ;) {
    const { data, errors } = await app.graphql(EXPORT, { first, after, filter });
    expect(errors).toEqual([]);
    const page = data.exportLicenses as { csv: string; hasNextPage: boolean; endCursor: string };
    csv += page.csv;
    if (!page.hasNextPage) return csv;
    after = page.endCursor;
  }
}

const problemsOf = (response: Awaited<ReturnType<typeof importCsv>>) =>
  (response.errors[0]?.extensions['errors'] as { pointer: string; code: string }[]).map(
    ({ pointer, code }) => `${pointer} ${code}`,
  );

/** What people type into names and notes, and what breaks CSV. */
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ',',
        '"',
        '""',
        ';',
        '\\',
        "'",
        '=',
        '+',
        '-',
        '@',
        '\t',
        '🦊',
        'é',
        ' ',
        '＝',
        '\ufeff',
      ),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));
const name = nasty
  // Names hold no control characters.
  .map((text) => text.replaceAll(/[\u0000-\u001f\u007f]/g, '').trim())
  .filter((text) => text !== '');
const note = fc
  .array(fc.oneof(nasty, fc.constantFrom('\n', '\r', '\r\n', '\n\n')), { maxLength: 6 })
  .map((parts) => parts.join('').replaceAll('\u0000', ''));

describe('cells', () => {
  it('a guarded text is no formula and comes back', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(guardFormula(text)).not.toMatch(/^[=+\-@\t\r]/);
        expect(unguardFormula(guardFormula(text))).toBe(text);
      }),
    );
    expect(['=1', '+1', '-1', '@a', '\ta', '\ra'].map((text) => guardFormula(text)[0])).toEqual(
      Array(6).fill("'"),
    );
    expect(guardFormula("it's")).toBe("it's");
  });

  it('names in one cell come back', () => {
    fc.assert(
      fc.property(fc.array(name), (names) => {
        expect(splitNames(joinNames(names))).toEqual(names);
      }),
    );
    expect(splitNames(' a ; b;;')).toEqual(['a', 'b']);
  });
});

describe('exportLicenses and importLicenses', () => {
  it('200: what was exported comes back as it was, whatever the names and notes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(name, { minLength: 3, maxLength: 3 }),
        fc.array(note, { minLength: 1, maxLength: 4 }),
        async ([product, first, second], notes) => {
          await app.sql('truncate license, product, addon restart identity cascade');
          await app.seed.product({ name: product });
          for (const addon of [first, second]) await app.seed.addon({ name: addon });
          for (const [index, text] of notes.entries()) {
            await app.seed.license({
              ...{ key: `=ROUND-${index}`, note: text === '' ? null : text, product },
              ...(index % 2 === 0
                ? { addons: [first, second] }
                : { expires_at: '2027-01-01T00:00:00Z', seats: 4 }),
            });
          }
          const licenses = await visible();
          const csv = await exported({}, 2);
          await app.sql('truncate license cascade');
          expect((await importCsv(csv)).data).toEqual({
            importLicenses: { created: notes.length, updated: 0, skipped: 0 },
          });
          expect(await visible()).toEqual(licenses);
          expect(await exported()).toBe(csv);
          // Nothing is different, so nothing is changed.
          expect((await importCsv(csv, 'update')).data.importLicenses).toMatchObject({
            skipped: notes.length,
          });
        },
      ),
      { numRuns: 15 },
    );
  }, 60_000);

  const visible = async () =>
    ((await app.rest('GET', '/licenses')).body as Record<string, unknown>[]).map(
      ({ id: _, ...rest }) => rest,
    );

  it('200: the header on the first page alone, and filters', async () => {
    await app.sql('truncate license cascade');
    const product = await app.seed.product({ name: 'Filtered' });
    for (let n = 0; n < 3; n++) await app.seed.license({ product: product.name, key: `FILTERED-${n}` });
    await app.seed.license();
    expect(await exported({ product: 'Filtered' }, 2)).toBe(
      'key,product,customer,user_id,status,expires_at,seats,note,addons\n' +
        [0, 1, 2].map((n) => `FILTERED-${n},Filtered,,,active,,-1,,\n`).join(''),
    );
    expect(await exported({ product: 'Nix' })).toBe(
      'key,product,customer,user_id,status,expires_at,seats,note,addons\n',
    );
    const { errors } = await app.graphql(EXPORT, { first: 501 });
    expect(errors[0]?.extensions['code']).toBe('INVALID_FIELD');
  });

  it('200: as many statements for 500 licenses as for one', async () => {
    await app.graphql('mutation { createLicenses(input: {count: 600}) { count } }');
    const statements = await recordStatements(app.orm);
    const count = async (first: number) =>
      (await statements.during(() => app.graphql(EXPORT, { first }))).length;
    const one = await count(1);
    expect(await count(500)).toBe(one);
  });
});

describe('importLicenses', () => {
  it('200: a byte order mark, CRLF, empty lines, spaces, any order of columns; absent ones are defaults', async () => {
    await app.seed.product({ name: 'Windows' });
    const csv = '\ufeff"product", key \r\n\r\nWindows,WINDOWS-KEY-1\r\n , WINDOWS-KEY-2 \r\n';
    expect((await importCsv(csv)).data).toEqual({ importLicenses: { created: 2, updated: 0, skipped: 0 } });
    const all = (await app.rest('GET', '/licenses')).body as {
      key: string;
      product: string | null;
      seats: number;
    }[];
    expect(all.find(({ key }) => key === 'WINDOWS-KEY-1')).toMatchObject({ product: 'Windows', seats: -1 });
    expect(all.find(({ key }) => key === 'WINDOWS-KEY-2')).toMatchObject({ product: null });
  });

  it('200: rows without a key get one; no rows are no error', async () => {
    expect((await importCsv('key,note\n,a\n,b\n')).data.importLicenses).toEqual({
      created: 2,
      updated: 0,
      skipped: 0,
    });
    expect((await importCsv('key,note\n')).data.importLicenses).toEqual({
      created: 0,
      updated: 0,
      skipped: 0,
    });
  });

  it('200 update: what a row says, and nothing else; a status is an event of its own', async () => {
    const addon = await app.seed.addon({ name: 'Kept' });
    await app.seed.license({ key: 'UPDATE-ME-1', note: 'old', seats: 5, addons: [addon.name] });
    await app.seed.license({ key: 'UPDATE-ME-2', note: 'same' });
    const csv =
      'key,note,status,expires_at\nupdate-me-1,new,suspended,2027-05-05\nUPDATE-ME-2,same,,\nUPDATE-NEW-3,,,\n';
    expect((await importCsv(csv, 'update')).data.importLicenses).toEqual({
      created: 1,
      updated: 1,
      skipped: 1,
    });
    const all = (await app.rest('GET', '/licenses')).body as { key: string }[];
    expect(all.find(({ key }) => key === 'UPDATE-ME-1')).toMatchObject({
      ...{
        note: 'new',
        status: 'suspended',
        seats: 5,
        addons: ['Kept'],
        expires_at: '2027-05-05T00:00:00.000Z',
      },
    });
    expect((await activityNamed(app, 'license.suspended')).at(-1)?.changes).toEqual({
      status: ['active', 'suspended'],
    });
    expect((await activityNamed(app, 'license.updated')).at(-1)?.changes).toEqual({
      note: ['old', 'new'],
      expires_at: [null, '2027-05-05T00:00:00.000Z'],
    });
  });

  it('409: keys that exist, or come twice', async () => {
    await app.seed.license({ key: 'TAKEN-KEY-1' });
    const csv = 'key,note\nFRESH-KEY-1,"two\r\nlines"\ntaken-key-1,\nfresh-key-1,\n';
    const response = await importCsv(csv);
    expect(response.errors[0]?.extensions).toMatchObject({ code: 'ALREADY_EXISTS', status: 409 });
    expect(problemsOf(response).sort()).toEqual(['/csv/4/key ALREADY_EXISTS', '/csv/5/key ALREADY_EXISTS']);
    expect((await importCsv('key\nTAKEN-KEY-1\n', 'skip')).data.importLicenses).toMatchObject({ skipped: 1 });
  });

  it('422: every cell that is wrong, by its line and column', async () => {
    const header = 'key,product,user_id,status,expires_at,seats,note,addons\n';
    const rows = [
      ',,,,,,"a\nb",',
      'abc,,,,,,,',
      ',Nix,nobody,,,,,',
      ',,,paused,yesterday,many,,',
      ',,,,,0,,a;b',
      'too,few',
    ];
    const response = await importCsv(header + rows.join('\n'));
    expect(response.errors[0]?.extensions).toMatchObject({ code: 'INVALID_FIELD', status: 422 });
    expect(problemsOf(response).sort()).toEqual([
      ...['/csv/4/key INVALID_FIELD', '/csv/5/product INVALID_FIELD', '/csv/5/user_id INVALID_FIELD'],
      ...['/csv/6/expires_at INVALID_FIELD', '/csv/6/seats INVALID_FIELD', '/csv/6/status INVALID_FIELD'],
      ...['/csv/7/addons INVALID_FIELD', '/csv/7/seats INVALID_FIELD', '/csv/8 INVALID_FIELD'],
    ]);
  });

  it.each([
    ['', ['/csv INVALID_FIELD']],
    ['key,colour,__proto__\nA,b,c\n', ['/csv/1/colour UNKNOWN_FIELD', '/csv/1/__proto__ UNKNOWN_FIELD']],
    ['key;product\n', ['/csv/1/key;product UNKNOWN_FIELD']],
    ['key,key\n', ['/csv/1/key INVALID_FIELD']],
    ['key,note\nKEY-KEY-1,"a\r\n"\r\nKEY-KEY-2,"never', ['/csv/4 INVALID_FIELD']],
    ['key,note\nKEY-KEY-1,a "quote"\n', ['/csv/2 INVALID_FIELD']],
    ['key,note\nKEY-KEY-1,"a"b\n', ['/csv/2 INVALID_FIELD']],
    [`key\n${'\n\nLONG-KEY,x'.repeat(1)}`, ['/csv/4 INVALID_FIELD']],
  ])('422: %j', async (csv, problems) => {
    expect(problemsOf(await importCsv(csv))).toEqual(problems);
  });

  it('422: more than 10 000 rows', async () => {
    const csv = stringify([['note'], ...Array.from({ length: 10_001 }, (_, n) => [String(n)])]);
    expect(problemsOf(await importCsv(csv))).toEqual(['/csv INVALID_FIELD']);
  });
});
