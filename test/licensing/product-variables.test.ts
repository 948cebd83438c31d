import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { recordStatements } from '../support/statements.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

async function list(path: string, owner: Record<string, string>) {
  const response = await app.rest('GET', `${path}?${new URLSearchParams(owner).toString()}`);
  expect(response.status).toBe(200);
  return response.body as { scope: string; owner: string; key: string; value: unknown }[];
}

describe('GET /variables/product', () => {
  it('200: all products, or the one asked for; none for an unknown one', async () => {
    const [one, two] = [await app.seed.product(), await app.seed.product()];
    for (const { name: product } of [one, two]) {
      await app.rest('POST', '/variables/product', { product, name: 'colour', value: product });
    }
    const owners = (await list('/variables/product', {})).map((each) => each.owner);
    expect(owners).toEqual(expect.arrayContaining([one.name, two.name]));
    expect(await list('/variables/product', { product: one.name })).toEqual([
      { scope: 'product', owner: one.name, key: 'colour', value: one.name },
    ]);
    expect(await list('/variables/product', { product: 'Nothing' })).toEqual([]);
  });

  it('200: variables follow a rename, and go with their product', async () => {
    const { name } = await app.seed.product();
    await app.rest('POST', '/variables/product', { product: name, name: 'colour', value: 1 });
    await app.rest('PATCH', '/products', { name, new_name: `${name} renamed` });
    expect(await list('/variables/product', { product: `${name} renamed` })).toHaveLength(1);
    await app.rest('DELETE', '/products', { name: `${name} renamed` });
    expect((await list('/variables/product', {})).map(({ owner }) => owner)).not.toContain(`${name} renamed`);
  });

  it('200: costs two statements however many there are', async () => {
    for (const key of ['one', 'two', 'three']) {
      const { name: product } = await app.seed.product();
      await app.rest('POST', '/variables/product', { product, name: key, value: key });
    }
    const statements = await recordStatements(app.orm);
    const sent = await statements.during(async () => {
      expect((await app.rest('GET', '/variables/product')).body.length).toBeGreaterThan(2);
    });
    const selects = sent.filter((text) => /from "(variable|product)"/.test(text));
    expect(selects).toHaveLength(2);
  });
});

describe('POST, PATCH, DELETE /variables/product', () => {
  it.each(['POST', 'PATCH', 'DELETE'])('%s 404 PRODUCT_NOT_FOUND, 422 without product', async (method) => {
    const value = method === 'DELETE' ? {} : { value: 1 };
    const unknown = await app.rest(method, '/variables/product', { product: 'Nothing', name: 'a', ...value });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'PRODUCT_NOT_FOUND']);
    for (const product of [undefined, '', 7]) {
      const missing = await app.rest(method, '/variables/product', { product, name: 'a', ...value });
      expect([missing.status, missing.body.errors]).toMatchObject([422, [{ pointer: '/product' }]]);
    }
  });

  it('422: unknown members', async () => {
    const response = await app.rest('POST', '/variables', { name: 'a', value: 1, scope: 'user' });
    expect([response.status, response.body.errors]).toMatchObject([422, [{ pointer: '/scope' }]]);
  });
});

describe('GraphQL variables', () => {
  const SET = `mutation ($input: VariableInput!) {
    setVariable(input: $input) { created variable { id scope owner key value createdAt updatedAt } } }`;

  it('sets, filters by scope, owner and key, and deletes', async () => {
    const { name: owner } = await app.seed.product();
    const input = { scope: 'product', owner, key: 'gql', value: { a: 1 } };
    expect((await app.graphql(SET, { input })).data.setVariable).toMatchObject({
      created: true,
      variable: input,
    });
    app.clock.advance(1000);
    const changed = (await app.graphql(SET, { input: { ...input, value: 2 } })).data.setVariable;
    expect(changed).toMatchObject({ created: false, variable: { value: 2 } });
    expect(changed.variable.updatedAt).not.toBe(changed.variable.createdAt);
    const LIST =
      'query ($filter: VariableFilter) { variables(filter: $filter) { totalCount nodes { owner key value } } }';
    for (const filter of [{ owner }, { owner, scope: 'product' }, { owner, key: 'gql' }]) {
      const { data } = await app.graphql(LIST, { filter });
      expect(data.variables).toEqual({ totalCount: 1, nodes: [{ owner, key: 'gql', value: 2 }] });
    }
    expect((await app.graphql(LIST, { filter: { owner, scope: 'user' } })).data.variables.totalCount).toBe(0);
    const { data } = await app.graphql(
      'mutation ($input: VariableRefInput!) { deleteVariable(input: $input) { deleted } }',
      { input: { scope: 'product', owner, key: 'gql' } },
    );
    expect(data.deleteVariable).toEqual({ deleted: true });
  });

  it('keeps members named like an object’s own, written as a literal too', async () => {
    const { data, errors } = await app.graphql(
      `mutation { setVariable(input: { scope: global, key: "literal", value: { constructor: 1, toString: 2 } })
        { variable { value } } }`,
    );
    expect(errors).toEqual([]);
    expect(data.setVariable.variable.value).toEqual({ constructor: 1, toString: 2 });
  });

  it.each([
    [{ scope: 'global', owner: 'x' }, 'INVALID_FIELD'],
    [{ scope: 'product' }, 'INVALID_FIELD'],
    [{ scope: 'product', owner: 'Nothing' }, 'PRODUCT_NOT_FOUND'],
    [{ scope: 'license', owner: 'Nothing' }, 'LICENSE_NOT_FOUND'],
    [{ scope: 'user', owner: 'a\u0000b' }, 'LICENSE_NOT_FOUND'],
  ])('refuses %j', async (ref, code) => {
    const { errors } = await app.graphql(SET, { input: { ...ref, key: 'a', value: 1 } });
    expect(errors[0]?.extensions).toMatchObject({ code });
  });
});

describe('any JSON value', () => {
  it('comes back as it was sent', async () => {
    const storable = fc
      .jsonValue({ maxDepth: 6 })
      .filter(
        (value) => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value)) && JSON.stringify(value).length < 4000,
      );
    await app.rest('POST', '/variables', { name: 'any', value: null });
    await fc.assert(
      fc.asyncProperty(storable, async (value) => {
        const response = await app.rest('PATCH', '/variables', { name: 'any', value });
        expect([response.status, response.text]).toEqual([204, '']);
        const read = (await list('/variables', {})).find(({ key }) => key === 'any');
        // JSON has no -0.
        expect(read?.value).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 60 },
    );
  });
});
