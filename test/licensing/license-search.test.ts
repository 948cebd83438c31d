import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';

let app: TestApp;

const LICENSES = `query($filter: LicenseFilterInput, $first: Int, $after: String) {
  licenses(filter: $filter, first: $first, after: $after) { totalCount nodes { key } pageInfo { endCursor hasNextPage } }
}`;

async function keysOf(filter: Record<string, unknown>): Promise<string[]> {
  const { data, errors } = await app.graphql(LICENSES, { filter });
  expect(errors).toEqual([]);
  expect(data.licenses.totalCount).toBe(data.licenses.nodes.length);
  return (data.licenses.nodes as { key: string }[]).map((node) => node.key);
}

beforeAll(async () => {
  app = await startApp();
  await app.graphql(
    'mutation { defineCustomField(input: { record: customer, name: "tier", type: string }) { id } }',
  );
  await app.rest('POST', '/users', { user_id: 'ada', email: 'Ada.Lovelace@Example.org' });
  const gold = await app.seed.customer({ tier: 'gold' });
  const silver = await app.seed.customer({ tier: 'silver' });
  await app.seed.license({ key: 'ALPHA-100%-SURE', customer: gold.name });
  await app.seed.license({ key: 'ALPHA-1000-SURE', customer: silver.name, user_id: 'ada' });
  await app.seed.license({ key: 'BETA-LOVELACE', customer: gold.name });
});

describe('licenses(filter: { search })', () => {
  it("finds part of a key or of the user's e-mail, whatever its case", async () => {
    expect(await keysOf({ search: 'alpha' })).toEqual(['ALPHA-100%-SURE', 'ALPHA-1000-SURE']);
    expect(await keysOf({ search: 'lovelace' })).toEqual(['ALPHA-1000-SURE', 'BETA-LOVELACE']);
  });

  it('takes % and _ for what they are', async () => {
    expect(await keysOf({ search: '100%' })).toEqual(['ALPHA-100%-SURE']);
    expect(await keysOf({ search: 'ALPHA_' })).toEqual([]);
  });

  it('pages like any other list', async () => {
    const first = await app.graphql(LICENSES, { filter: { search: 'ALPHA' }, first: 1 });
    expect(first.data.licenses).toMatchObject({ totalCount: 2, pageInfo: { hasNextPage: true } });
    const after = first.data.licenses.pageInfo.endCursor as string;
    const second = await app.graphql(LICENSES, { filter: { search: 'ALPHA' }, first: 1, after });
    expect(second.data.licenses.nodes).toEqual([{ key: 'ALPHA-1000-SURE' }]);
  });
});

describe('licenses(filter: { customerCustom })', () => {
  it('finds by a custom value of the customer, together with other filters', async () => {
    const customerCustom = [{ name: 'tier', equals: 'gold' }];
    expect(await keysOf({ customerCustom })).toEqual(['ALPHA-100%-SURE', 'BETA-LOVELACE']);
    expect(await keysOf({ customerCustom, search: 'beta' })).toEqual(['BETA-LOVELACE']);
    expect(await keysOf({ customerCustom: [{ name: 'tier', equals: 'none' }] })).toEqual([]);
  });
});
