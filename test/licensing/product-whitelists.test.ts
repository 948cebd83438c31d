import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
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

describe('POST /whitelists/attach and /whitelists/detach', () => {
  it("200: the product's lists afterwards, by name; a repeat leaves no trace", async () => {
    const [first, second] = [await made({ name: 'B list' }), await made({ name: 'A list' })];
    const product = await app.seed.product();
    const attach = (whitelist: string) =>
      app.rest('POST', '/whitelists/attach', { whitelist, product: product.name });
    expect((await attach(first.name)).body).toEqual(['B list']);
    const attached = await attach(second.name);
    expect([attached.status, attached.body]).toEqual([200, ['A list', 'B list']]);
    expect(await activityOf(app, attached)).toMatchObject([
      {
        event: 'product.updated',
        resource_type: 'product',
        resource_id: product.name,
        changes: { whitelists: [['B list'], ['A list', 'B list']] },
      },
    ]);
    const again = await attach(second.name);
    expect([again.body, await activityOf(app, again)]).toEqual([['A list', 'B list'], []]);

    const body = { whitelist: first.name, product: product.name };
    const detached = await app.rest('POST', '/whitelists/detach', body);
    expect([detached.status, detached.body]).toEqual([200, ['A list']]);
    const nothing = await app.rest('POST', '/whitelists/detach', body);
    expect([nothing.body, await activityOf(app, nothing)]).toEqual([['A list'], []]);
  });

  it.each(['attach', 'detach'])('404 and 422: %s', async (verb) => {
    const [list, product] = [await made(), await app.seed.product()];
    const path = `/whitelists/${verb}`;
    const noList = await app.rest('POST', path, { whitelist: 'Nix', product: product.name });
    const noProduct = await app.rest('POST', path, { whitelist: list.name, product: 'Nix' });
    expect(noList).toMatchObject({ status: 404, body: { code: 'WHITELIST_NOT_FOUND' } });
    expect(noProduct).toMatchObject({ status: 404, body: { code: 'PRODUCT_NOT_FOUND' } });
    expect((await app.rest('POST', path, {})).status).toBe(422);
  });
});

describe('whitelists of products', () => {
  it('are replaced as a whole, in the answer and in the activity log', async () => {
    const [first, second] = [await made(), await made()];
    const { name } = await app.seed.product({ whitelists: [first.name] });
    const response = await app.rest('PATCH', '/products', { name, whitelists: [second.name, second.name] });
    expect(response.body).toMatchObject({ whitelists: [second.name] });
    expect(await activityOf(app, response)).toMatchObject([
      { event: 'product.updated', changes: { whitelists: [[first.name], [second.name]] } },
    ]);
    expect((await app.rest('PATCH', '/products', { name, whitelists: [] })).body).toMatchObject({
      whitelists: [],
    });
  });

  it('422: names that do not exist are all named, and nothing is kept', async () => {
    const { name } = await app.seed.product();
    const response = await app.rest('PATCH', '/products', {
      name,
      session_ttl: 70,
      whitelists: ['Nix', 'Nada'],
    });
    expect(response.body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/whitelists', detail: 'whitelists names no existing whitelist: "Nix", "Nada"' }],
    });
    expect((await productsOf()).at(-1)).toMatchObject({ name, session_ttl: null });
  });

  it('cost one statement for any number of products', async () => {
    const list = await made();
    for (let n = 0; n < 5; n++) await app.seed.product({ whitelists: [list.name] });
    const recorder = await recordStatements(app.orm);
    const sent = await recorder.during(() => app.rest('GET', '/products'));
    expect(sent.filter((text) => text.includes('product_whitelist'))).toHaveLength(1);
  });
});
