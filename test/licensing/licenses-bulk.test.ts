import { beforeAll, describe, expect, it } from '@jest/globals';
import { createLicenses } from '../../src/licensing/licenses/bulk/create-licenses.service.js';
import { lookupOf } from '../../src/licensing/licenses/license-key.rules.js';
import { activityNamed } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { graphqlClient } from '../support/graphql.js';
import { recordStatements } from '../support/statements.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

const CREATE = `mutation ($input: CreateLicensesInput!) { createLicenses(input: $input) { count keys } }`;
const IMPORT = `mutation ($csv: String!, $onExisting: OnExisting) {
  importLicenses(csv: $csv, onExisting: $onExisting) { created updated skipped }
}`;

const create = (input: Record<string, unknown>, on = app) => on.graphql(CREATE, { input });

async function licenseCount(on = app): Promise<number> {
  const [row] = await on.sql<{ count: number }>('select count(*)::integer as count from license');
  return row?.count ?? -1;
}

const errorsOf = (response: Awaited<ReturnType<typeof create>>) =>
  response.errors[0]?.extensions['errors'] as { pointer: string; code: string; detail: string }[];

describe('createLicenses', () => {
  it('200: 10 000 after a template, with distinct keys and an activity entry each', async () => {
    const own = await startApp();
    const product = await own.seed.product({ name: 'Alpha' });
    const addon = await own.seed.addon({ name: 'Extra' });
    const template = { product: product.name, addons: [addon.name], seats: 3, note: 'batch' };
    const { data, errors } = await create({ count: 10_000, template }, own);
    expect(errors).toEqual([]);
    expect(data.createLicenses.count).toBe(10_000);
    const keys: string[] = data.createLicenses.keys;
    expect(new Set(keys).size).toBe(10_000);
    const rows = await own.sql<{ key: string }>('select key from license order by id');
    expect(rows.map(({ key }) => key)).toEqual(keys);
    const entries = await activityNamed(own, 'license.created');
    expect(entries).toHaveLength(10_000);
    expect(entries[0]).toMatchObject({
      resource_id: `…${keys[0]?.slice(-6) ?? ''}`,
      source: 'graphql',
      changes: {
        product: [null, 'Alpha'],
        addons: [null, ['Extra']],
        seats: [null, 3],
        status: [null, 'active'],
      },
    });
    expect(JSON.stringify(entries)).not.toContain(keys[0]);
  });

  it('200: each as it says, in this order, with the same entry as createLicense writes', async () => {
    const [product, customer, addon] = [
      await app.seed.product(),
      await app.seed.customer(),
      await app.seed.addon(),
    ];
    const user = (await app.rest('POST', '/users', { user_id: 'bulk-user' })).body;
    await app.rest('POST', '/whitelists', { name: 'hwid', type: 'header', header: 'X-HWID', limit: 2 });
    const full = {
      product: product.name,
      customer: customer.name,
      userId: user.user_id,
      addons: [addon.name],
      status: 'suspended',
      expiresAt: '2027-01-01T00:00:00.000Z',
      seats: 2,
      note: 'a note',
      whitelists: { hwid: { values: ['one', 'two'], limit: 5 } },
    };
    const { data, errors } = await create({ licenses: [{ key: 'BULK-ONE-1', ...full }, {}] });
    expect(errors).toEqual([]);
    expect(data.createLicenses).toEqual({
      count: 2,
      keys: ['BULK-ONE-1', expect.stringMatching(/^(\w{5}-?){5}$/)],
    });

    const { expiresAt: expires_at, userId: user_id, ...same } = full;
    const single = await app.rest('POST', '/licenses', { key: 'BULK-ONE-2', ...same, expires_at, user_id });
    expect(single.status).toBe(201);
    const list = (await app.rest('GET', '/licenses')).body as { id: number; key: string }[];
    const bulk = list.find(({ key }) => key === 'BULK-ONE-1');
    expect({ ...bulk, id: 0, key: '' }).toEqual({ ...single.body, id: 0, key: '' });
    const entries = await activityNamed(app, 'license.created');
    const changes = entries.filter(({ resource_id }) => /^…ONE-[12]$/.test(resource_id));
    expect(changes).toHaveLength(2);
    const others = changes.map((entry) => ({ ...entry.changes, key: null, expires_at: null }));
    expect(others[0]).toEqual(others[1]);
  });

  it('200: the user of a merged id', async () => {
    for (const user_id of ['merge-from', 'merge-to']) await app.rest('POST', '/users', { user_id });
    await app.rest('POST', '/users/merge', { from: 'merge-from', to: 'merge-to' });
    expect((await create({ count: 1, template: { userId: 'merge-from' } })).errors).toEqual([]);
    expect((await app.rest('GET', '/users/licenses?user_id=merge-to')).body).toHaveLength(1);
  });

  it('200: as many statements for a row as for a batch, and a few more for each other batch', async () => {
    const own = await startApp();
    const statements = await recordStatements(own.orm);
    const { name: product } = await own.seed.product();
    const { name: addon } = await own.seed.addon();
    const count = async (n: number) => {
      const licenses = Array.from({ length: n }, (_, i) => ({
        key: `COUNT-${n}-${i}`,
        product,
        addons: [addon],
      }));
      const sent = await statements.during(async () => {
        expect((await create({ licenses }, own)).errors).toEqual([]);
      });
      // The request log is written whenever it has gathered enough.
      return sent.filter((text) => !/validation_hour|request_log/.test(text)).length;
    };
    const few = await count(1);
    expect(await count(2000)).toBe(few);
    // Licenses, addons, entries.
    expect(await count(6000)).toBe(few + 2 * 3);
  });

  it('200: a generated key that is taken is drawn again', async () => {
    const taken = await app.seed.license();
    const drawn = [taken.key, taken.key, 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA', 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA'];
    const more = [
      'BBBBB-BBBBB-BBBBB-BBBBB-BBBBB',
      'CCCCC-CCCCC-CCCCC-CCCCC-CCCCC',
      'DDDDD-DDDDD-DDDDD-DDDDD-DDDDD',
    ];
    const queue = [...drawn, ...more];
    const newKey = () => queue.shift() ?? 'EEEEE-EEEEE-EEEEE-EEEEE-EEEEE';
    const keys = await app.orm.em
      .fork()
      .transactional((em) => createLicenses(em, app.ctx, { licenses: [{}, {}, {}, {}] }, { newKey }));
    expect(new Set(keys.map(lookupOf)).size).toBe(4);
    expect(keys).not.toContain(taken.key);
  });

  it('422: every problem points at its license, and nothing is created', async () => {
    const before = await licenseCount();
    const licenses: Record<string, unknown>[] = Array.from({ length: 20 }, () => ({}));
    licenses[3] = { seats: 0 };
    licenses[5] = { addons: ['Nix', 'Nada'], userId: 'nobody-there' };
    licenses[9] = { whitelists: { 'no/list': { values: ['a'] } } };
    licenses[11] = { whitelists: { hwid: { values: 1 } } };
    licenses[17] = { product: 'Nix', customer: 'Nobody' };
    const response = await create({ licenses });
    expect(response.errors[0]?.extensions).toMatchObject({ code: 'INVALID_FIELD', status: 422 });
    expect(
      errorsOf(response)
        .map(({ pointer }) => pointer)
        .sort(),
    ).toEqual(
      [
        ...[
          '/licenses/3/seats',
          '/licenses/5/addons',
          '/licenses/5/userId',
          '/licenses/9/whitelists/no~1list',
        ],
        ...['/licenses/11/whitelists/hwid/values', '/licenses/17/product', '/licenses/17/customer'],
      ].sort(),
    );
    expect(await licenseCount()).toBe(before);
  });

  it('422: at most 100 problems, and how many more there are', async () => {
    const response = await create({
      count: null,
      licenses: Array.from({ length: 300 }, () => ({ product: 'Nix' })),
    });
    expect(errorsOf(response)).toHaveLength(100);
    expect(response.errors[0]?.message).toMatch(/and 297 more$/);
    const typed = await create({ licenses: Array.from({ length: 300 }, () => ({ product: 7 })) });
    expect(typed.errors[0]?.extensions['errors']).toHaveLength(100);
  });

  it.each([
    [{}, '/count'],
    [{ count: 0 }, '/count'],
    [{ count: 10_001 }, '/count'],
    [{ count: 1, licenses: [{}] }, '/count'],
    [{ template: {}, licenses: [{}] }, '/template'],
    [{ template: {} }, '/count'],
    [{ licenses: [] }, '/licenses'],
    [{ count: 1, template: { key: 'MY-OWN-KEY' } }, '/template'],
    [{ count: 9, template: { product: 'Nix' } }, '/template/product'],
  ])('422: %j', async (input, at) => {
    const response = await create(input);
    expect(response.errors[0]?.extensions).toMatchObject({ code: 'INVALID_FIELD' });
    expect(errorsOf(response).map(({ pointer }) => pointer)).toEqual([at]);
  });

  it('422: more than 10 000', async () => {
    const response = await create({ licenses: Array.from({ length: 10_001 }, () => ({})) });
    expect(errorsOf(response)[0]).toMatchObject({ pointer: '/licenses' });
  });

  it('409: keys that come twice or exist, masked, and nothing is created', async () => {
    await app.seed.license({ key: 'THERE-ALREADY' });
    const before = await licenseCount();
    const licenses = ['NEW-ONE-1234', 'there-already', 'other-one-99', 'new-one-1234'].map((key) => ({
      key,
    }));
    const response = await create({ licenses });
    expect(response.errors[0]?.extensions).toMatchObject({ code: 'ALREADY_EXISTS', status: 409 });
    expect(errorsOf(response)).toEqual([
      {
        pointer: '/licenses/3/key',
        code: 'ALREADY_EXISTS',
        detail: 'The key …e-1234 is that of /licenses/0 already',
      },
      { pointer: '/licenses/1/key', code: 'ALREADY_EXISTS', detail: 'A license "…lready" exists already' },
    ]);
    expect(await licenseCount()).toBe(before);
  });

  it('401 without a key, 403 with one that may only read', async () => {
    const anyone = await graphqlClient(app.url, undefined)(CREATE, { input: { count: 1 } });
    expect(anyone.errors[0]?.extensions['code']).toBe('API_KEY_MISSING');
    const { data } = await app.graphql(
      'mutation { createApiKey(input: {name: "r", scopes: ["licensing:read"]}) { plain } }',
    );
    const reader = graphqlClient(app.url, data.createApiKey.plain as string);
    expect((await reader(CREATE, { input: { count: 1 } })).errors[0]?.extensions['code']).toBe(
      'INSUFFICIENT_SCOPE',
    );
    expect((await reader(IMPORT, { csv: 'key\n' })).errors[0]?.extensions['code']).toBe('INSUFFICIENT_SCOPE');
  });
});

describe('races', () => {
  const keysOf = (prefix: string) => Array.from({ length: 500 }, (_, i) => `${prefix}-RACE-${i}`);

  it('two that create the same keys in opposite orders: one has them all, the other gets 409', async () => {
    const before = await licenseCount();
    const licenses = keysOf('CREATE').map((key) => ({ key }));
    const outcomes = await Promise.all([
      create({ licenses }),
      create({ licenses: licenses.toReversed() }),
      create({ licenses }),
    ]);
    const codes = outcomes.map(({ errors }) => errors[0]?.extensions['code'] ?? 'ok');
    expect(codes.sort()).toEqual(['ALREADY_EXISTS', 'ALREADY_EXISTS', 'ok']);
    expect(await licenseCount()).toBe(before + 500);
  });

  it('two imports of the same keys: one creates, the other skips', async () => {
    const csv = ['key', ...keysOf('IMPORT')].join('\n');
    const reversed = ['key', ...keysOf('IMPORT').reverse()].join('\n');
    const both = await Promise.all(
      [csv, reversed].map((text) => app.graphql(IMPORT, { csv: text, onExisting: 'skip' })),
    );
    const outcomes = both.map(({ data }) => data.importLicenses as object);
    expect(outcomes).toContainEqual({ created: 500, updated: 0, skipped: 0 });
    expect(outcomes).toContainEqual({ created: 0, updated: 0, skipped: 500 });
  });

  it('against single creations of the same keys: each key once, and no error but 409', async () => {
    const keys = keysOf('SINGLE').slice(0, 60);
    const csv = ['key', ...keys].join('\n');
    const [bulk, ...singles] = await Promise.all([
      app.graphql(IMPORT, { csv, onExisting: 'skip' }),
      ...keys.toReversed().map((key) => app.rest('POST', '/licenses', { key })),
    ]);
    expect(bulk.errors).toEqual([]);
    expect(singles.map(({ status }) => status).filter((status) => status !== 201 && status !== 409)).toEqual(
      [],
    );
    const wonBySingles = singles.filter(({ status }) => status === 201).length;
    expect(bulk.data.importLicenses).toEqual({
      created: keys.length - wonBySingles,
      updated: 0,
      skipped: wonBySingles,
    });
  });
});
