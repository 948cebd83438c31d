import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { masked, valuesIn, whitelistKit } from '../support/whitelists.js';

let app: TestApp;
const { add, entriesOf, ipList, list } = whitelistKit(() => app);

beforeAll(async () => {
  app = await startApp();
});

describe('GET /licenses/whitelists', () => {
  it('200: lists that are enforced, hold values or have a limit of their own; by name, in query or body', async () => {
    const [attached, held, limited] = [
      await list({ limit: 3 }),
      await ipList(),
      await list({ type: 'field', header: null, field: 'hwid' }),
    ];
    await list();
    const product = await app.seed.product({ whitelists: [attached] });
    const { key } = await app.seed.license({
      product: product.name,
      whitelists: { [held]: { values: ['10.0.0.1'] } },
    });
    await app.rest('PATCH', '/licenses/whitelists', { license: key, whitelist: limited, limit: 0 });
    const expected = [
      { name: attached, type: 'header', source: 'header:X-HWID', limit: 3, values: [], enforced: true },
      { name: held, type: 'ip', source: 'ip', limit: 1, values: ['10.0.0.1'], enforced: false },
      { name: limited, type: 'field', source: 'field:hwid', limit: 0, values: [], enforced: false },
    ].sort((a, b) => (a.name < b.name ? -1 : 1));
    const response = await app.rest('GET', '/licenses/whitelists', { license: key.toLowerCase() });
    expect([response.status, response.body]).toEqual([200, expected]);
    expect(await entriesOf(key)).toEqual(expected);
    const answer = await app.graphql(
      'query ($key: String!) { license(key: $key) { whitelistEntries { name values } } }',
      { key },
    );
    expect(answer.data).toEqual({
      license: { whitelistEntries: expected.map(({ name, values }) => ({ name, values })) },
    });
  });

  it('200: a global list is enforced for a license without a product', async () => {
    const name = await list({ global: true });
    const { key, whitelists } = await app.seed.license();
    expect(whitelists).toEqual({ [name]: { values: [], limit: 1 } });
    expect(await entriesOf(key)).toMatchObject([{ name, enforced: true }]);
    await app.rest('DELETE', '/whitelists', { name });
  });

  it('404 LICENSE_NOT_FOUND, 422 without a license, 401 without a key', async () => {
    const missing = await app.rest('GET', '/licenses/whitelists?license=NOBODY');
    expect(missing).toMatchObject({ status: 404, body: { code: 'LICENSE_NOT_FOUND' } });
    expect((await app.rest('GET', '/licenses/whitelists')).body).toMatchObject({
      errors: [{ pointer: '/license' }],
    });
    expect((await app.anonymous('GET', '/licenses/whitelists?license=x')).status).toBe(401);
  });
});

describe('POST /licenses/whitelists', () => {
  it('200: values stay in the order in which they came, also within one moment', async () => {
    const name = await list({ limit: -1 });
    const { key, id } = await app.seed.license();
    for (const value of ['c', 'a', 'b']) await add(key, name, value);
    const response = await add(key, name, 'Z');
    expect([response.status, response.body]).toEqual([
      200,
      {
        name,
        type: 'header',
        source: 'header:X-HWID',
        limit: -1,
        values: ['c', 'a', 'b', 'Z'],
        enforced: false,
      },
    ]);
    const entries = await activityOf(app, response);
    expect(entries).toMatchObject([
      {
        event: 'whitelist.bound',
        actor: 'api_key:*',
        resource_type: 'license',
        resource_id: masked(key),
        changes: { [name]: [null, 'Z'] },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain(key);
    const [stored] = await app.sql<{ count: string }>(
      'select count(*) from license_whitelist_value where license_id = $1',
      [id],
    );
    expect(stored?.count).toBe('4');
  });

  it('200: a value that is there changes nothing, however it is written, and also when the list is full', async () => {
    const name = await ipList({ limit: 1 });
    const { key } = await app.seed.license();
    await add(key, name, '::ffff:10.0.0.1');
    app.clock.advance(1000);
    const response = await add(key, name, '10.0.0.1/32');
    expect([response.status, valuesIn(response), await activityOf(app, response)]).toEqual([
      200,
      ['10.0.0.1'],
      [],
    ]);
  });

  it('200: ranges of addresses in their normal form', async () => {
    const name = await ipList({ limit: -1 });
    const { key } = await app.seed.license();
    await add(key, name, '10.1.2.3/8');
    expect((await add(key, name, '2001:DB8:0::1')).body).toHaveProperty('values', [
      '10.0.0.0/8',
      '2001:db8::1',
    ]);
  });

  it('409 WHITELIST_LIMIT_REACHED: the list is full, and it says so', async () => {
    const name = await list({ limit: 2 });
    const { key } = await app.seed.license();
    await add(key, name, 'a');
    await add(key, name, 'b');
    const response = await add(key, name, 'c');
    expect([response.status, response.body]).toMatchObject([
      409,
      { code: 'WHITELIST_LIMIT_REACHED', detail: expect.stringContaining('limit is 2') },
    ]);
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('200 for 3 and 409 for 47 of 50 at once on a list of 3', async () => {
    const name = await list({ limit: 3 });
    const { key, id } = await app.seed.license();
    const responses = await Promise.all(Array.from({ length: 50 }, (_, n) => add(key, name, `value ${n}`)));
    const counts = Map.groupBy(
      responses,
      ({ status, body }) => `${status} ${(body as { code?: string }).code ?? ''}`,
    );
    expect([...counts].map(([outcome, all]) => [outcome, all.length]).sort()).toEqual([
      ['200 ', 3],
      ['409 WHITELIST_LIMIT_REACHED', 47],
    ]);
    const stored = await app.sql('select value from license_whitelist_value where license_id = $1', [id]);
    expect(stored).toHaveLength(3);
    const [bound] = await app.sql<{ count: string }>(
      "select count(*) from activity where event = 'whitelist.bound' and resource_id = $1",
      [masked(key)],
    );
    expect(bound?.count).toBe('3');
  });

  it('200: a closed list takes what an administrator sets, up to 1000', async () => {
    const name = await list({ limit: 0 });
    const values = Array.from({ length: 999 }, (_, n) => `v${n}`);
    const { key } = await app.seed.license({ whitelists: { [name]: { values } } });
    expect(valuesIn(await add(key, name, 'v999'))).toHaveLength(1000);
    expect((await add(key, name, 'v1000')).status).toBe(409);
  });

  it.each(['', 'a\u0000b', 'a\nb', 'x'.repeat(256), 7, null, undefined])('422: value %j', async (value) => {
    const name = await list();
    const { key } = await app.seed.license();
    const response = await add(key, name, value);
    expect(response).toMatchObject({ status: 422, body: { errors: [{ pointer: '/value' }] } });
  });

  it.each(['10.0.0', '10.0.0.0/33', 'localhost', '10.0.0.1 '])(
    '422: %j on a list of addresses',
    async (value) => {
      const response = await add((await app.seed.license()).key, await ipList(), value);
      expect(response).toMatchObject({ status: 422, body: { errors: [{ pointer: '/value' }] } });
    },
  );

  it('404, 401 and 403', async () => {
    const [name, { key }] = [await list(), await app.seed.license()];
    expect((await add('NOBODY', name, 'a')).body).toMatchObject({ status: 404, code: 'LICENSE_NOT_FOUND' });
    expect((await add(key, 'Nix', 'a')).body).toMatchObject({ status: 404, code: 'WHITELIST_NOT_FOUND' });
    const body = { license: key, whitelist: name, value: 'a' };
    const reader = await app.restAs('licensing:read');
    expect((await app.anonymous('POST', '/licenses/whitelists', body)).status).toBe(401);
    expect((await reader('POST', '/licenses/whitelists', body)).status).toBe(403);
  });

  it('200 or 404, and never a value without its list, when the list is deleted meanwhile', async () => {
    for (let round = 0; round < 5; round++) {
      const [name, { key }] = [await list(), await app.seed.license()];
      const [added, deleted] = await Promise.all([
        add(key, name, 'a'),
        app.rest('DELETE', '/whitelists', { name }),
      ]);
      expect([[200, 404], deleted.status]).toEqual([expect.arrayContaining([added.status]), 200]);
      const [entry] = (await activityOf(app, deleted)).filter(({ event }) => event === 'whitelist.deleted');
      expect(entry?.changes ?? {}).toEqual(added.status === 200 ? { values: [1, 0] } : {});
    }
  });

  it('200 or 422 or 409, and never anything but addresses, when the list becomes one of addresses meanwhile', async () => {
    for (let round = 0; round < 5; round++) {
      const [name, { key }] = [await list(), await app.seed.license()];
      const [added, changed] = await Promise.all([
        add(key, name, 'no address'),
        app.rest('PATCH', '/whitelists', { name, type: 'ip' }),
      ]);
      expect([`200 409`, `422 200`]).toContain(`${added.status} ${changed.status}`);
    }
  });
});
