import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { START, startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { recordStatements } from '../support/statements.js';

let app: TestApp;
let count = 0;

beforeAll(async () => {
  app = await startApp();
});

async function made(fields: Record<string, unknown> = {}) {
  count += 1;
  const response = await app.rest('POST', '/whitelists', { name: `list ${count}`, type: 'ip', ...fields });
  if (response.status !== 201) throw new Error(response.text);
  return response.body as { id: number; name: string };
}

type Named = Record<string, unknown> & { name: string };
const productsOf = async () => (await app.rest('GET', '/products')).body as Named[];

describe('POST /whitelists', () => {
  it.each([
    [
      { type: 'header', header: 'X-HWID' },
      { header: 'X-HWID', field: null, limit: 1, global: false },
    ],
    [
      { type: 'field', field: 'hwid', limit: -1, global: true },
      { header: null, field: 'hwid', limit: -1, global: true },
    ],
    [
      { type: 'field', field: 'identifier', limit: 0 },
      { field: 'identifier', limit: 0 },
    ],
    [
      { type: 'ip', header: null, field: '', limit: 1000 },
      { header: null, field: null, limit: 1000 },
    ],
  ])('201: %j', async (fields, expected) => {
    const name = `new ${JSON.stringify(fields)}`;
    const response = await app.rest('POST', '/whitelists', { name, ...fields });
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({
      id: expect.any(Number),
      name,
      ...expected,
      createdAt: START.toISOString(),
    });
    expect(await activityOf(app, response)).toMatchObject([
      {
        event: 'whitelist.created',
        actor: 'api_key:*',
        source: 'rest',
        resource_type: 'whitelist',
        resource_id: name,
        changes: { name: [null, name], type: [null, fields.type] },
      },
    ]);
    await app.rest('DELETE', '/whitelists', { name });
  });

  it('201: a record that was read is sent back under another name', async () => {
    const read = await made({ type: 'header', header: 'X-A', limit: 5 });
    const response = await app.rest('POST', '/whitelists', { ...read, name: `${read.name} again` });
    expect(response.body).toMatchObject({ name: `${read.name} again`, header: 'X-A', limit: 5 });
  });

  it('409 ALREADY_EXISTS, also for all but one of many at once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => app.rest('POST', '/whitelists', { name: 'Contested', type: 'ip' })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)]);
    expect((await app.rest('POST', '/whitelists', { name: 'Contested', type: 'ip' })).body).toMatchObject({
      code: 'ALREADY_EXISTS',
      detail: expect.stringContaining('"Contested"'),
    });
  });

  it.each([
    [{ type: 'ip' }, '/name'],
    [{ name: 'x' }, '/type'],
    [{ name: 'x', type: 'cookie' }, '/type'],
    [{ name: 'x', type: 'header' }, '/header'],
    [{ name: 'x', type: 'header', header: '' }, '/header'],
    [{ name: 'x', type: 'header', header: 'X HWID' }, '/header'],
    [{ name: 'x', type: 'header', header: 'X-HWID:' }, '/header'],
    [{ name: 'x', type: 'header', header: 'X-HWID', field: 'hwid' }, '/field'],
    [{ name: 'x', type: 'field' }, '/field'],
    [{ name: 'x', type: 'field', field: 'license_key' }, '/field'],
    [{ name: 'x', type: 'field', field: 'nonce' }, '/field'],
    [{ name: 'x', type: 'field', field: 'product' }, '/field'],
    [{ name: 'x', type: 'field', field: 'a\u0000' }, '/field'],
    [{ name: 'x', type: 'ip', header: 'X-HWID' }, '/header'],
    [{ name: 'x', type: 'ip', limit: -2 }, '/limit'],
    [{ name: 'x', type: 'ip', limit: 1001 }, '/limit'],
    [{ name: 'x', type: 'ip', limit: '1' }, '/limit'],
    [{ name: 'x', type: 'ip', global: 'yes' }, '/global'],
    [{ name: 'x', type: 'ip', colour: 'red' }, '/colour'],
  ])('422: %j', async (body, pointer) => {
    const response = await app.rest('POST', '/whitelists', body);
    expect(response).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('401 and 403: without a key, and with one that only reads', async () => {
    const reader = await app.restAs('licensing:read');
    expect((await app.anonymous('POST', '/whitelists', {})).status).toBe(401);
    expect((await reader('POST', '/whitelists', { name: 'x', type: 'ip' })).status).toBe(403);
  });
});

describe('GET /whitelists', () => {
  it('200: all, by id, with a body of {} as the contract has it', async () => {
    const lists = [await made(), await made()];
    const response = await app.rest('GET', '/whitelists', {});
    expect(response.status).toBe(200);
    expect((response.body as Named[]).slice(-2)).toEqual(lists);
  });

  it('200: one by name, in the query or the body; the query wins', async () => {
    const [first, second] = [await made(), await made()];
    const query = `/whitelists?name=${encodeURIComponent(first.name)}`;
    expect((await app.rest('GET', query)).body).toEqual([first]);
    expect((await app.rest('GET', '/whitelists', { name: second.name })).body).toEqual([second]);
    expect((await app.rest('GET', query, { name: second.name })).body).toEqual([first]);
    expect((await app.rest('GET', '/whitelists?name=Nix')).body).toEqual([]);
  });

  it('200: by pages, in one statement each', async () => {
    await made();
    const recorder = await recordStatements(app.orm);
    const page = await app.rest('GET', '/whitelists?limit=1');
    expect(page.body).toHaveLength(1);
    expect(page.headers['link']).toContain('rel="next"');
    const sent = await recorder.during(() => app.rest('GET', '/whitelists'));
    expect(sent.filter((text) => text.includes('"whitelist"'))).toHaveLength(1);
  });

  it('GraphQL: a connection with filter and order', async () => {
    const list = await made({ type: 'header', header: 'X-Graph', global: true });
    const answer = await app.graphql(
      `{ whitelists(first: 1, filter: {type: header, global: true}, orderBy: {field: name, direction: desc}) {
           totalCount nodes { name header } } }`,
    );
    expect(answer.data).toEqual({
      whitelists: { totalCount: 1, nodes: [{ name: list.name, header: 'X-Graph' }] },
    });
    await app.rest('DELETE', '/whitelists', { name: list.name });
  });
});

describe('PATCH /whitelists', () => {
  it('200: what was sent changes, absent members stay, references follow a rename', async () => {
    const { name } = await made({ type: 'header', header: 'X-Old', limit: 2 });
    const product = await app.seed.product({ whitelists: [name] });
    app.clock.advance(1000);
    const response = await app.rest('PATCH', '/whitelists', { name, new_name: `${name}!`, header: 'X-New' });
    expect(response.body).toMatchObject({ name: `${name}!`, header: 'X-New', limit: 2, type: 'header' });
    expect(response.body).toHaveProperty('updatedAt', app.clock.now().toISOString());
    expect(await activityOf(app, response)).toMatchObject([
      { event: 'whitelist.updated', changes: { name: [name, `${name}!`], header: ['X-Old', 'X-New'] } },
    ]);
    const products = await productsOf();
    expect(products.find((one) => one.name === product.name)).toMatchObject({ whitelists: [`${name}!`] });
  });

  it('200: a record that was read changes nothing and leaves no trace', async () => {
    const read = await made({ type: 'field', field: 'hwid' });
    app.clock.advance(1000);
    const response = await app.rest('PATCH', '/whitelists', read);
    expect([response.status, response.body]).toEqual([200, read]);
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('200: another type drops the name that the old one read', async () => {
    const { name } = await made({ type: 'header', header: 'X-HWID' });
    const field = await app.rest('PATCH', '/whitelists', { name, type: 'field', field: 'hwid' });
    expect(field.body).toMatchObject({ type: 'field', header: null, field: 'hwid' });
    const ip = await app.rest('PATCH', '/whitelists', { name, type: 'ip' });
    expect(ip.body).toMatchObject({ type: 'ip', header: null, field: null });
  });

  it('409 IN_USE: values that may be no addresses stand against type ip, not against other types', async () => {
    const { name } = await made({ type: 'header', header: 'X-HWID' });
    await app.seed.license({ whitelists: { [name]: { values: ['abc'] } } });
    const response = await app.rest('PATCH', '/whitelists', { name, type: 'ip' });
    expect(response).toMatchObject({ status: 409, body: { code: 'IN_USE' } });
    expect((await app.rest('PATCH', '/whitelists', { name, type: 'field', field: 'hwid' })).status).toBe(200);
  });

  it('409 ALREADY_EXISTS: the new name is taken', async () => {
    const [first, second] = [await made(), await made()];
    const response = await app.rest('PATCH', '/whitelists', { name: first.name, new_name: second.name });
    expect(response).toMatchObject({ status: 409, body: { code: 'ALREADY_EXISTS' } });
  });

  it('404 and 422', async () => {
    const missing = await app.rest('PATCH', '/whitelists', { name: 'Nix', limit: 2 });
    expect(missing).toMatchObject({ status: 404, body: { code: 'WHITELIST_NOT_FOUND' } });
    const { name } = await made({ type: 'header', header: 'X-HWID' });
    for (const [body, pointer] of [
      [{ limit: 5000 }, '/limit'],
      [{ header: null }, '/header'],
      [{ type: 'field' }, '/field'],
      [{ type: 'ip', header: 'X-HWID' }, '/header'],
    ] as const) {
      const response = await app.rest('PATCH', '/whitelists', { name, ...body });
      expect(response).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
    }
  });
});

describe('DELETE /whitelists', () => {
  it('200: with the values of licenses, and the entry tells how many; products lose it', async () => {
    const { name } = await made({ limit: -1 });
    const other = await made();
    const product = await app.seed.product({ whitelists: [name, other.name] });
    await app.seed.license({ whitelists: { [name]: { values: ['10.0.0.1', '10.0.0.2'] } } });
    const license = await app.seed.license({ whitelists: { [name]: { values: ['10.0.0.1'], limit: 7 } } });
    const response = await app.rest('DELETE', '/whitelists', { name });
    expect([response.status, response.body]).toEqual([200, { deleted: true }]);
    expect(await activityOf(app, response)).toMatchObject([
      {
        event: 'product.updated',
        resource_id: product.name,
        changes: { whitelists: [[name, other.name].sort(), [other.name]] },
      },
      { event: 'whitelist.deleted', resource_id: name, changes: { values: [3, 0] } },
    ]);
    expect((await app.rest('GET', `/licenses/whitelists?license=${license.key}`)).body).toEqual([]);
  });

  it('404 WHITELIST_NOT_FOUND', async () => {
    const response = await app.rest('DELETE', '/whitelists', { name: 'Nix' });
    expect(response).toMatchObject({ status: 404, body: { code: 'WHITELIST_NOT_FOUND' } });
  });
});
