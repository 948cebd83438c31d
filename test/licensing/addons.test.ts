import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { describeNamedRecords } from '../support/named-records.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

describeNamedRecords('addon', () => app);

describe('POST /addons/attach', () => {
  it("200: the names of the product's addons, in their order, and one entry for the product", async () => {
    const product = await app.seed.product();
    const second = await app.seed.addon({ name: 'b second' });
    const first = await app.seed.addon({ name: 'a first' });
    await app.rest('POST', '/addons/attach', { addon: second.name, product: product.name });
    const response = await app.rest('POST', '/addons/attach', { addon: first.name, product: product.name });
    expect([response.status, response.body]).toEqual([200, [first.name, second.name]]);
    expect(await activityOf(app, response)).toMatchObject([
      {
        event: 'product.updated',
        resource_id: product.name,
        changes: { addons: [[second.name], [first.name, second.name]] },
      },
    ]);
  });

  it('200: what is attached already changes nothing', async () => {
    const { name: addon } = await app.seed.addon();
    const { name: product } = await app.seed.product({ addons: [addon] });
    const response = await app.rest('POST', '/addons/attach', { addon, product });
    expect([response.status, response.body]).toEqual([200, [addon]]);
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('200: many at once, none is lost', async () => {
    const { name: product } = await app.seed.product();
    const addons = await Promise.all(Array.from({ length: 20 }, () => app.seed.addon()));
    const responses = await Promise.all(
      addons.map(({ name }) => app.rest('POST', '/addons/attach', { addon: name, product })),
    );
    expect(responses.map(({ status }) => status)).toEqual(addons.map(() => 200));
    const products = (await app.rest('GET', '/products')).body as { addons: string[] }[];
    expect(products.at(-1)?.addons).toEqual(addons.map(({ name }) => name).sort());
  });

  it.each(['attach', 'detach'])('404: an unknown addon or product (%s)', async (verb) => {
    const { name: addon } = await app.seed.addon();
    const { name: product } = await app.seed.product();
    const noAddon = await app.rest('POST', `/addons/${verb}`, { addon: 'Nothing', product });
    expect([noAddon.status, noAddon.body.code]).toEqual([404, 'ADDON_NOT_FOUND']);
    const noProduct = await app.rest('POST', `/addons/${verb}`, { addon, product: 'Nothing' });
    expect([noProduct.status, noProduct.body.code]).toEqual([404, 'PRODUCT_NOT_FOUND']);
  });

  it.each(['attach', 'detach'])('422: without addon and product (%s)', async (verb) => {
    const response = await app.rest('POST', `/addons/${verb}`, {});
    expect([response.status, response.body.errors]).toMatchObject([
      422,
      [{ pointer: '/addon' }, { pointer: '/product' }],
    ]);
  });
});

describe('POST /addons/detach', () => {
  it('200: the names that remain, and one entry; once detached it changes nothing', async () => {
    const [first, second] = [await app.seed.addon(), await app.seed.addon()];
    const { name: product } = await app.seed.product({ addons: [first.name, second.name] });
    const response = await app.rest('POST', '/addons/detach', { addon: first.name, product });
    expect([response.status, response.body]).toEqual([200, [second.name]]);
    expect(await activityOf(app, response)).toHaveLength(1);
    const again = await app.rest('POST', '/addons/detach', { addon: first.name, product });
    expect([again.status, again.body]).toEqual([200, [second.name]]);
    expect(await activityOf(app, again)).toEqual([]);
  });
});

describe('PATCH /addons', () => {
  it('200: products and licenses show the new name', async () => {
    const { name } = await app.seed.addon();
    await app.seed.product({ addons: [name] });
    const { key } = await app.seed.license({ addons: [name] });
    await app.rest('PATCH', '/addons', { name, new_name: 'Renamed addon' });
    expect((await app.rest('GET', '/products')).body.at(-1)).toMatchObject({ addons: ['Renamed addon'] });
    const { body } = await app.anonymous('POST', '/licenses/validate', { license_key: key });
    expect(body).toMatchObject({ addons: ['Renamed addon'] });
  });
});

describe('DELETE /addons', () => {
  it('409 IN_USE: licenses hold it', async () => {
    const { name } = await app.seed.addon();
    await app.seed.license({ addons: [name] });
    const response = await app.rest('DELETE', '/addons', { name });
    expect([response.status, response.body.code]).toEqual([409, 'IN_USE']);
    expect(response.body.detail).toBe(`1 license holds the addon "${name}"; "force": true takes it from it`);
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('200 with force: licenses lose it and stay active, each with its event', async () => {
    const { name } = await app.seed.addon();
    const other = await app.seed.addon();
    const { key } = await app.seed.license({ addons: [name, other.name] });
    const response = await app.rest('DELETE', '/addons', { name, force: true });
    expect(response.status).toBe(200);
    expect((await app.rest('GET', '/licenses')).body.at(-1)).toMatchObject({
      key,
      status: 'active',
      addons: [other.name],
    });
    expect(await activityOf(app, response)).toMatchObject([
      { event: 'license.updated', changes: { addons: [[name, other.name].sort(), [other.name]] } },
      { event: 'addon.deleted', resource_id: name },
    ]);
  });

  it('200: products that offer it lose it, with their event', async () => {
    const { name } = await app.seed.addon();
    const product = await app.seed.product({ addons: [name] });
    const response = await app.rest('DELETE', '/addons', { name });
    expect(response.status).toBe(200);
    expect(await activityOf(app, response)).toMatchObject([
      { event: 'product.updated', resource_id: product.name, changes: { addons: [[name], []] } },
      { event: 'addon.deleted' },
    ]);
  });
});
