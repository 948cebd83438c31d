import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityNamed, activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

const DEFINE = `mutation ($input: DefineCustomFieldInput!) {
  defineCustomField(input: $input) { record name type required defaultValue options }
}`;
const UPDATE = `mutation ($record: RecordKind!, $name: String!, $input: UpdateCustomFieldInput!) {
  updateCustomField(record: $record, name: $name, input: $input) { name required defaultValue options }
}`;
const DELETE = `mutation ($record: RecordKind!, $name: String!) {
  deleteCustomField(record: $record, name: $name) { deleted }
}`;

function define(input: Record<string, unknown>) {
  return app.graphql(DEFINE, { input });
}

async function defined(input: Record<string, unknown>) {
  const { errors } = await define(input);
  expect(errors).toEqual([]);
}

/** Forgets the definitions, so that each test has only its own. */
async function none() {
  await app.sql('delete from custom_field');
}

describe('defineCustomField', () => {
  it('defines, lists, and leaves one activity entry', async () => {
    const field = { record: 'addon', name: 'tier', type: 'enum', options: ['a', 'b'], defaultValue: 'a' };
    const { data } = await define(field);
    expect(data.defineCustomField).toEqual({ ...field, required: false });
    const list = await app.graphql('{ customFields(record: addon) { name type options } }');
    expect(list.data.customFields).toEqual([{ name: 'tier', type: 'enum', options: ['a', 'b'] }]);
    expect(await activityNamed(app, 'custom_field.created')).toMatchObject([
      { actor: 'api_key:*', source: 'graphql', resource_id: 'addon.tier' },
    ]);
  });

  it('ALREADY_EXISTS: the name is taken for this kind, and free for another', async () => {
    await defined({ record: 'product', name: 'taken', type: 'string' });
    const { errors } = await define({ record: 'product', name: 'taken', type: 'number' });
    expect(errors[0]?.extensions).toMatchObject({ code: 'ALREADY_EXISTS' });
    await defined({ record: 'customer', name: 'taken', type: 'number' });
  });

  it.each([
    'id',
    'name',
    'new_name',
    'force',
    'addons',
    'whitelists',
    'session_ttl',
    'custom',
    'limit',
    'cursor',
  ])('INVALID_FIELD: %s is reserved', async (name) => {
    const { errors } = await define({ record: 'product', name, type: 'string' });
    expect(errors[0]?.extensions).toMatchObject({ code: 'INVALID_FIELD' });
  });

  it.each(['constructor', '__proto__', 'prototype', 'Upper', '9lives', 'a-b', '', 'n'.repeat(41), 'é'])(
    'INVALID_FIELD: the name %j',
    async (name) => {
      const { errors } = await define({ record: 'product', name, type: 'string' });
      expect(errors[0]?.extensions).toMatchObject({ code: 'INVALID_FIELD' });
    },
  );

  it.each([
    [{ type: 'enum' }],
    [{ type: 'enum', options: [] }],
    [{ type: 'string', options: ['a'] }],
    [{ type: 'enum', options: ['a'], defaultValue: 'b' }],
    [{ type: 'number', defaultValue: 'one' }],
  ])('INVALID_FIELD: %j', async (field) => {
    const { errors } = await define({ record: 'product', name: 'bad', ...field });
    expect(errors[0]?.extensions).toMatchObject({ code: 'INVALID_FIELD' });
  });

  it('LIMIT_REACHED: 64 a kind, also when they come at once', async () => {
    await none();
    const results = await Promise.all(
      Array.from({ length: 70 }, (_, n) => define({ record: 'customer', name: `f${n}`, type: 'string' })),
    );
    const codes = results.map(({ errors }) => errors[0]?.extensions['code'] ?? 'OK');
    const counts = Map.groupBy(codes, (code) => code);
    expect([counts.get('OK')?.length, counts.get('LIMIT_REACHED')?.length]).toEqual([64, 6]);
    await none();
  });
});

describe('POST /products with custom fields', () => {
  const VALUES: [type: string, good: unknown[], bad: unknown[]][] = [
    ['string', ['', 'text', 'e\u0301', '😀'], [1, true, {}, [], 'x'.repeat(4097)]],
    ['number', [0, -1.5, 1e300], ['1', true, []]],
    ['boolean', [true, false], ['true', 0]],
    [
      'date',
      ['2027-01-31', '2028-02-29', '2027-01-31T10:00:00Z'],
      ['2027-02-31', '2027-02-29', 'today', 7, '2027-1-1'],
    ],
    [
      'url',
      ['https://example.com/a?b#c', 'http://localhost'],
      ['example.com', 'javascript:alert(1)', 'ftp://a.b', 1],
    ],
    ['email', ['a@example.com'], ['a', 'a b@example.com', 'a@', 1]],
    ['enum', ['one'], ['three', '', 1, ['one']]],
    ['json', [[1, { a: null }], {}, 'text', 0, false], []],
  ];

  it.each(VALUES)('201 for good values of %s, 422 with its pointer for bad ones', async (type, good, bad) => {
    await none();
    const options = type === 'enum' ? ['one', 'two'] : null;
    await defined({ record: 'product', name: 'field', type, options });
    for (const field of good) expect(await app.seed.product({ field })).toMatchObject({ field });
    for (const field of bad) {
      const response = await app.rest('POST', '/products', { name: 'Bad', field });
      expect([response.status, response.body.errors]).toMatchObject([
        422,
        [{ pointer: '/field', code: 'INVALID_FIELD' }],
      ]);
    }
  });

  it('422: a number beyond all numbers', async () => {
    await none();
    await defined({ record: 'product', name: 'field', type: 'number' });
    const raw = '{"name": "Infinite", "field": 1e999}';
    expect((await app.rest('POST', '/products', {}, { raw })).status).toBe(422);
  });

  it('201: a default fills in, null takes it away, and what has no value shows null', async () => {
    await none();
    await defined({ record: 'product', name: 'colour', type: 'string', defaultValue: 'red' });
    await defined({ record: 'product', name: 'weight', type: 'number' });
    expect(await app.seed.product()).toMatchObject({ colour: 'red', weight: null });
    expect(await app.seed.product({ colour: null, weight: 2 })).toMatchObject({ colour: null, weight: 2 });
  });

  it('422: every problem at once: missing, wrong and unknown', async () => {
    await none();
    await defined({ record: 'product', name: 'needed', type: 'string', required: true });
    await defined({ record: 'product', name: 'weight', type: 'number' });
    const response = await app.rest('POST', '/products', { name: 'Bad', weight: 'x', typo: 1 });
    expect(response.status).toBe(422);
    const problems = (response.body.errors as { pointer: string; code: string }[]).map(
      ({ pointer, code }) => `${pointer} ${code}`,
    );
    expect(problems.sort()).toEqual([
      '/needed INVALID_FIELD',
      '/typo UNKNOWN_FIELD',
      '/weight INVALID_FIELD',
    ]);
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('PATCH merges: absent stays, null takes away unless required; the log has both', async () => {
    await none();
    await defined({ record: 'product', name: 'needed', type: 'string', required: true });
    await defined({ record: 'product', name: 'extra', type: 'json' });
    const { name } = await app.seed.product({ needed: 'yes', extra: { a: 1 } });
    const patched = await app.rest('PATCH', '/products', { name, extra: null });
    expect(patched.body).toMatchObject({ needed: 'yes', extra: null });
    expect(await activityOf(app, patched)).toMatchObject([{ changes: { extra: [{ a: 1 }, null] } }]);
    const refused = await app.rest('PATCH', '/products', { name, needed: null });
    expect(refused.body).toMatchObject({ status: 422, errors: [{ pointer: '/needed' }] });
  });

  it.each(['customer', 'addon'] as const)('%ss have their own', async (record) => {
    await none();
    await defined({ record, name: 'only_here', type: 'boolean' });
    expect(await app.seed[record]({ only_here: true })).toMatchObject({ only_here: true });
    const response = await app.rest('POST', '/products', { name: 'Bad', only_here: true });
    expect(response.body).toMatchObject({ code: 'UNKNOWN_FIELD', errors: [{ pointer: '/only_here' }] });
  });

  it('are found by their values over GraphQL', async () => {
    await none();
    await defined({ record: 'product', name: 'colour', type: 'string' });
    const { name } = await app.seed.product({ colour: 'mauve' });
    await app.seed.product({ colour: 'beige' });
    const query = '{ products(filter: {custom: [{name: "colour", equals: "mauve"}]}) { nodes { name } } }';
    expect((await app.graphql(query)).data.products.nodes).toEqual([{ name }]);
  });
});

describe('updateCustomField, deleteCustomField', () => {
  it('stored values stay; new rules hold for later writes', async () => {
    await none();
    await defined({ record: 'product', name: 'size', type: 'enum', options: ['s', 'm'] });
    const { name } = await app.seed.product({ size: 's' });
    const input = { options: ['m', 'l'] };
    const { data } = await app.graphql(UPDATE, { record: 'product', name: 'size', input });
    expect(data.updateCustomField).toMatchObject({ ...input, required: false });
    const rows = (await app.rest('GET', '/products')).body as Record<string, unknown>[];
    expect(rows.find((row) => row['name'] === name)).toMatchObject({ size: 's' });
    expect((await app.rest('PATCH', '/products', { name, size: 's' })).status).toBe(422);
    const bad = await app.graphql(UPDATE, { record: 'product', name: 'size', input: { options: [] } });
    expect(bad.errors[0]?.extensions).toMatchObject({ code: 'INVALID_FIELD' });
  });

  it('a deleted one is unknown from then on; one that is not there is CUSTOM_FIELD_NOT_FOUND', async () => {
    await none();
    await defined({ record: 'product', name: 'gone', type: 'string' });
    await app.seed.product({ gone: 'x' });
    const variables = { record: 'product', name: 'gone' };
    expect((await app.graphql(DELETE, variables)).data.deleteCustomField).toEqual({ deleted: true });
    expect((await app.rest('GET', '/products')).body.at(-1)).not.toHaveProperty('gone');
    const again = await app.graphql(DELETE, variables);
    expect(again.errors[0]?.extensions).toMatchObject({ code: 'CUSTOM_FIELD_NOT_FOUND' });
    const update = await app.graphql(UPDATE, { ...variables, input: { required: true } });
    expect(update.errors[0]?.extensions).toMatchObject({ code: 'CUSTOM_FIELD_NOT_FOUND' });
  });
});
