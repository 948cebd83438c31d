import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { csvPieces } from '../../src/cli/csv-pieces.js';
import { progressBar } from '../../src/cli/progress-bar.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { cliWith } from '../support/cli.js';
import type { Cli } from '../support/cli.js';

let app: TestApp;
let cli: Cli;
let dir: string;

beforeAll(async () => {
  app = await startApp();
  cli = cliWith({ LICENSING_URL: app.url, LICENSING_API_KEY: app.apiKey });
  dir = await mkdtemp(join(tmpdir(), 'licenses-'));
});

const HEADER = 'key,product,customer,user_id,status,expires_at,seats,note,addons\n';

async function countOf(product: string): Promise<number> {
  const query = 'query ($product: String) { licenses(first: 1, filter: {product: $product}) { totalCount } }';
  return (await app.graphql(query, { product })).data.licenses.totalCount as number;
}

describe('licenses create', () => {
  it('prints the keys', async () => {
    const { name } = await app.seed.product();
    const addon = (await app.seed.addon()).name;
    const options = [
      '--addon',
      addon,
      '--seats',
      '2',
      '--expires',
      '2027-01-01T00:00:00Z',
      '--note',
      'a "note"',
    ];
    const run = await cli('licenses', 'create', '--count', '3', '--product', name, ...options);
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(run.stdout).toMatch(/^(\w{5}(-\w{5}){4}\n){3}$/);
    const row = `,${name},,,active,2027-01-01T00:00:00.000Z,2,"a ""note""",${addon}`;
    const { stdout } = await cli('licenses', 'export', '--product', name);
    expect(stdout).toBe(HEADER + run.stdout.replaceAll('\n', `${row}\n`));
  });

  it('writes more than a mutation takes into a file that only its owner reads', async () => {
    const { name } = await app.seed.product();
    const out = join(dir, 'keys.csv');
    const run = await cli('licenses', 'create', '--count', '10001', '--product', name, '--out', out);
    expect(run).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: `10001 licenses are created; their keys are in ${out}.\n`,
    });
    const [header, ...keys] = (await readFile(out, 'utf8')).trimEnd().split('\n');
    expect(header).toBe('key');
    expect(new Set(keys).size).toBe(10_001);
    expect(await countOf(name)).toBe(10_001);
    expect((await stat(out)).mode & 0o777).toBe(0o600);

    const again = await cli('licenses', 'create', '--count', '1', '--product', name, '--out', out);
    expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('exists already') });
    expect(await countOf(name)).toBe(10_001);
  });

  it('1 for a product that is not there, 2 for a count that is none', async () => {
    const refused = await cli('licenses', 'create', '--count', '1', '--product', 'Nix');
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('/template/product') });
    for (const count of ['0', 'many', '-1']) {
      expect((await cli('licenses', 'create', '--count', count)).exitCode).toBe(2);
    }
    expect((await cli('licenses', 'create')).exitCode).toBe(2);
  });
});

describe('licenses export and import', () => {
  it('a file that is exported can be imported elsewhere', async () => {
    const { name } = await app.seed.product({ name: '=Product, "Ltd"' });
    await app.graphql('mutation ($input: CreateLicensesInput!) { createLicenses(input: $input) { count } }', {
      input: { count: 1100, template: { product: name, note: 'two\r\nlines 🦊' } },
    });
    const out = join(dir, 'export.csv');
    const run = await cli('licenses', 'export', '--product', name, '--out', out, '--json');
    expect(JSON.parse(run.stdout)).toEqual({ count: 1100, out });
    const csv = await readFile(out, 'utf8');

    const other = await startApp();
    await other.seed.product({ name });
    const there = cliWith({ LICENSING_URL: other.url, LICENSING_API_KEY: other.apiKey });
    expect((await there('licenses', 'import', out)).stdout).toBe('created 1100, updated 0, skipped 0\n');
    expect((await there('licenses', 'export')).stdout).toBe(csv);
    const again = await there('licenses', 'import', out, '--on-existing', 'skip');
    expect(again.stdout).toBe('created 0, updated 0, skipped 1100\n');
    const refused = await there('licenses', 'import', out);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('ALREADY_EXISTS') });
  });

  it('1: says which lines are in, which are not, and where in the file the problem is', async () => {
    const file = join(dir, 'bad.csv');
    const rows = Array.from({ length: 12_000 }, (_, n) => (n === 7000 ? 'PIECE-BAD,Nix' : `PIECE-${n},`));
    await writeFile(file, `\ufeffkey,product\r\n${rows.join('\r\n')}`);
    const { exitCode, stderr, stdout } = await cli('licenses', 'import', file);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('/csv/7002/product: product names no existing product: "Nix"');
    expect(stderr).toContain('Lines 2–5001 are in: created 5000, updated 0, skipped 0.');
    expect(stderr).toContain('Lines 5002–10001 are not in.');
    expect(stderr).toContain('Lines 10002–12001 were not sent.');
    await writeFile(file, `key,product\n${rows.join('\n').replace('Nix', '')}`);
    const mended = await cli('licenses', 'import', file, '--on-existing', 'skip');
    expect(mended.stdout).toBe('created 7000, updated 0, skipped 5000\n');
  });

  it.each([
    ['no such file', 2, async () => Promise.resolve(join(dir, 'nix.csv'))],
    ['an empty file', 1, () => fileOf('')],
    ['an open quote', 1, () => fileOf('key,note\nA-KEY-ONE,"open')],
    ['not UTF-8', 1, () => fileOf(Buffer.from([0x6b, 0x65, 0x79, 0x0a, 0xff, 0xfe]))],
    ['an unknown column', 1, () => fileOf('key,colour\nA-KEY-ONE,red\n')],
  ])('%s: %d', async (_name, exitCode, file) => {
    const run = await cli('licenses', 'import', await file());
    expect({ exitCode: run.exitCode, stdout: run.stdout }).toEqual({ exitCode, stdout: '' });
    expect(run.stderr).toMatch(/^Error: /);
  });

  async function fileOf(content: string | Buffer): Promise<string> {
    const path = join(await mkdtemp(join(dir, 'f-')), 'file.csv');
    await writeFile(path, content);
    return path;
  }
});

describe('csvPieces', () => {
  it('splits between rows, by their number and by their size, and knows the lines of each', () => {
    const file = Buffer.from('\n\nkey,note\r\na,"1\r\n2"\r\n\r\nb,🦊\r\nc,3');
    const pieces = csvPieces(file, { rowsMax: 2, bytesMax: 1000 });
    expect(pieces.map(({ csv, rows, lines }) => ({ csv, rows, lines }))).toEqual([
      { csv: '\n\nkey,note\r\na,"1\r\n2"\r\n\r\nb,🦊\r\n', rows: 2, lines: [4, 7] },
      { csv: '\n\nkey,note\r\nc,3', rows: 1, lines: [8, 8] },
    ]);
    expect(pieces.map((piece) => [3, 4, 7].map((line) => piece.fileLine(line)))).toEqual([
      [3, 4, 7],
      [3, 8, 11],
    ]);
    expect(csvPieces(file, { rowsMax: 100, bytesMax: 1 }).map(({ rows }) => rows)).toEqual([1, 1, 1]);
    expect(csvPieces(Buffer.from('key'), { rowsMax: 1, bytesMax: 1 })).toEqual([]);
  });
});

describe('progressBar', () => {
  it('is drawn on a terminal and nowhere else', () => {
    const drawnOn = (isTTY: boolean) => {
      const written: string[] = [];
      const bar = progressBar(4, { isTTY, write: (text) => written.push(text) });
      bar.to(2);
      bar.end();
      return written.join('');
    };
    expect(drawnOn(true)).toBe(`\r\u001b[K${'█'.repeat(15)}${'░'.repeat(15)} 2/4\r\u001b[K`);
    expect(drawnOn(false)).toBe('');
  });
});
