import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { cliWith } from '../support/cli.js';
import type { Cli } from '../support/cli.js';

let app: TestApp;
let cli: Cli;

beforeAll(async () => {
  app = await startApp();
  cli = cliWith({ LICENSING_URL: app.url, LICENSING_API_KEY: app.apiKey });
});

describe('fields define', () => {
  it('an enum with a default, which a product then has', async () => {
    const { exitCode, stdout } = await cli(
      ...['fields', 'define', 'product', 'tier', '--type', 'enum', '--option', 'basic', '--option', 'pro'],
      ...['--required', '--default', '"basic"'],
    );

    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      'FIELD         TYPE  REQUIRED  DEFAULT  OPTIONS\nproduct.tier  enum  yes       "basic"  basic pro\n',
    );
    expect(await app.rest('POST', '/products', { name: 'tiered' })).toMatchObject({
      status: 201,
      body: { tier: 'basic' },
    });
    expect((await app.rest('POST', '/products', { name: 'b', tier: 'gold' })).status).toBe(422);
  });

  it('--default takes any JSON', async () => {
    const json = [
      'fields',
      'define',
      'customer',
      'limits',
      '--type',
      'json',
      '--default',
      '{"a":[1]}',
      '--json',
    ];
    expect(JSON.parse((await cli(...json)).stdout)).toEqual({
      ...{ record: 'customer', name: 'limits', type: 'json', required: false },
      ...{ options: null, defaultValue: { a: [1] } },
    });
    const negative = ['fields', 'define', 'customer', 'balance', '--type', 'number', '--default', '-5'];
    expect((await cli(...negative)).stdout).toMatch(/^customer\.balance +number +no +-5 +–$/m);
  });

  it('1 for a field that is there, for an enum without options, and for a reserved name', async () => {
    const define = (...args: string[]) => cli('fields', 'define', 'addon', ...args);
    expect((await define('color', '--type', 'string')).exitCode).toBe(0);
    const again = await define('color', '--type', 'string');
    expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('(ALREADY_EXISTS)') });
    const empty = await define('size', '--type', 'enum');
    expect(empty).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^ {2}\/options: /m) });
    const reserved = await define('id', '--type', 'string');
    expect(reserved).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('reserved') });
  });

  it.each([
    [['license', 'x', '--type', 'string'], 'product, customer, addon'],
    [['product', 'x', '--type', 'text'], 'string, number, boolean'],
    [['product', 'x'], '--type'],
    [['product', 'x', '--type', 'string', '--default', 'abc'], `'"abc"'`],
  ])('2 for %j', async (args, said) => {
    const { exitCode, stderr } = await cli('fields', 'define', ...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(said);
  });
});

describe('fields list and delete', () => {
  it('lists by name, and no more after the deletion', async () => {
    const own = await startApp();
    const there = cliWith({ LICENSING_URL: own.url, LICENSING_API_KEY: own.apiKey });
    await there('fields', 'define', 'customer', 'vat', '--type', 'string');
    await there('fields', 'define', 'customer', 'site', '--type', 'url');

    expect((await there('fields', 'list', 'customer')).stdout).toBe(
      'FIELD          TYPE    REQUIRED  DEFAULT  OPTIONS\n' +
        'customer.site  url     no        –        –\n' +
        'customer.vat   string  no        –        –\n',
    );
    expect((await there('fields', 'delete', 'customer', 'site')).stdout).toBe('customer.site is deleted.\n');
    const { stdout } = await there('--json', 'fields', 'list', 'customer');
    expect((JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)).toEqual(['vat']);
    const gone = await there('fields', 'delete', 'customer', 'site');
    expect(gone).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('CUSTOM_FIELD_NOT_FOUND') });
  });
});
