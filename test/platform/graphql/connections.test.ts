import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../../support/app.js';
import type { TestApp } from '../../support/app.js';
import { recordStatements } from '../../support/statements.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.graphql(
    'mutation { defineCustomField(input: { record: product, name: "tier", type: string }) { name } }',
  );
  for (let number = 1; number <= 7; number++) {
    const fields = { name: `P${number}`, tier: number % 2 === 0 ? 'even' : 'odd' };
    await app.rest('POST', '/products', fields);
    app.clock.advance(1_000);
  }
});

interface Page {
  readonly totalCount: number;
  readonly nodes: { readonly name: string }[];
  readonly edges: { readonly cursor: string }[];
  readonly pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string;
    endCursor: string;
  };
}

async function products(variables: Record<string, unknown>): Promise<Page> {
  const { data, errors } = await app.graphql(
    `query ($first: Int, $after: String, $filter: NamedRecordFilter, $orderBy: NamedRecordOrder) {
      products(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
        totalCount
        nodes { name }
        edges { cursor node { name } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }`,
    variables,
  );
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return data.products as Page;
}

const namesOf = (page: Page) => page.nodes.map((node) => node.name);

describe('a connection', () => {
  it('pages forward through every row, in any order, and counts them all', async () => {
    for (const orderBy of [
      undefined,
      { field: 'name', direction: 'desc' },
      { field: 'createdAt', direction: 'asc' },
      { field: 'updatedAt', direction: 'desc' },
    ]) {
      const seen: string[] = [];
      let after: string | undefined;
      for (let rounds = 0; rounds < 4; rounds++) {
        const page = await products({ first: 2, after, orderBy });
        seen.push(...namesOf(page));
        expect(page.totalCount).toBe(7);
        expect(page.pageInfo).toEqual({
          hasNextPage: rounds < 3,
          hasPreviousPage: rounds > 0,
          startCursor: page.edges[0]?.cursor,
          endCursor: page.edges.at(-1)?.cursor,
        });
        after = page.pageInfo.endCursor;
      }
      const all = ['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7'];
      expect(seen).toEqual(orderBy?.direction === 'desc' ? all.reverse() : all);
    }
  });

  it('filters: names, part of a name (a wildcard is a character), custom fields', async () => {
    const filtered = async (filter: object) => namesOf(await products({ filter }));
    expect(await filtered({ names: ['P3', 'P1', 'None'] })).toEqual(['P1', 'P3']);
    expect(await filtered({ nameContains: 'p7' })).toEqual(['P7']);
    expect(await filtered({ nameContains: '%' })).toEqual([]);
    expect(await filtered({ nameContains: '_' })).toEqual([]);
    expect(await filtered({ custom: [{ name: 'tier', equals: 'even' }] })).toEqual(['P2', 'P4', 'P6']);
    const both = { custom: [{ name: 'tier', equals: 'odd' }], names: ['P1', 'P2'] };
    expect(await filtered(both)).toEqual(['P1']);
    expect((await products({ first: 1, filter: both })).totalCount).toBe(1);
  });

  it('is empty without an error', async () => {
    const page = await products({ filter: { names: ['None'] } });
    expect([page.totalCount, page.nodes, page.pageInfo.endCursor]).toEqual([0, [], null]);
  });

  const cursor = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');

  it.each([
    { first: 0 },
    { first: 501 },
    { first: -1 },
    { after: 'abc' },
    { after: cursor('a') },
    { after: cursor(1, 2) },
    { after: cursor({ $ne: 1 }) },
    { after: cursor('a', 1), orderBy: { field: 'createdAt' } },
    { after: cursor(1, 1), orderBy: { field: 'name' } },
    { after: cursor('\u0000', 1), orderBy: { field: 'name' } },
    { after: cursor('2026-99-99T00:00:00Z', 1), orderBy: { field: 'createdAt' } },
  ])('INVALID_FIELD: %j', async (variables) => {
    const pointer = 'first' in variables ? '/first' : '/after';
    await expect(products(variables)).rejects.toThrow(`"pointer":"${pointer}"`);
  });
});

describe('a page of licenses', () => {
  const plain = `{ licenses(first: 100) {
    nodes { key product { name } customer { name } addons { name } productName customerName addonNames
      whitelists user { userId email } }
  } }`;
  const rich = `{ licenses(first: 100) { totalCount nodes { product { addonNames custom } customer { custom } } } }`;

  it('costs 6 statements, and as many for 100 as for 2', async () => {
    const statements = await recordStatements(app.orm);
    const addons = [await app.seed.addon(), await app.seed.addon()].map((addon) => addon.name);
    const customers = [await app.seed.customer(), await app.seed.customer()].map(({ name }) => name);
    const add = async (from: number, to: number) => {
      for (let number = from; number < to; number++) {
        const product = `P${1 + (number % 7)}`;
        await app.rest('POST', '/licenses', {
          ...{ product, customer: customers[number % 2], addons },
          whitelists: { machines: { values: [`machine ${number}`] } },
          user_id: `user ${number % 3}`,
        });
      }
    };
    await app.rest('POST', '/whitelists', { name: 'machines', type: 'header', header: 'X-HWID' });
    for (const number of [0, 1, 2]) await app.rest('POST', '/users', { user_id: `user ${number}` });
    const run = async (query: string) => {
      let rows = 0;
      const sent = await statements.during(async () => {
        rows = ((await app.graphql(query)).data.licenses.nodes as unknown[]).length;
      });
      return { rows, sent: sent.map(shorten).sort() };
    };
    const both = async () => [await run(plain), await run(rich)] as const;
    await add(0, 2);
    const [plainOf2, richOf2] = await both();
    await add(2, 100);
    const [plainOf100, richOf100] = await both();
    expect([plainOf100.rows, richOf100.rows]).toEqual([100, 100]);
    expect(plainOf100.sent).toEqual(plainOf2.sent);
    expect(richOf100.sent).toEqual(richOf2.sent);
    expect(plainOf100.sent).toHaveLength(6);
    expect(richOf100.sent).toHaveLength(7);
  });

  const shorten = (text: string) =>
    text
      .trim()
      .replace(/\s+/g, ' ')
      .replace(/\(.*\)/g, '(…)')
      .slice(0, 60);
});
