import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';

let app: TestApp;
let count = 0;

beforeAll(async () => {
  app = await startApp();
});

const VERSION = { type: 'version', action: 'allow', config: { range: '>=1' } };

async function seedRule(fields: Record<string, unknown> = {}) {
  const response = await app.rest('POST', '/rules', { name: `Rule ${++count}`, ...VERSION, ...fields });
  expect(response.status).toBe(201);
  return response.body as { name: string } & Record<string, unknown>;
}

describe('POST /rules/attach', () => {
  it("200: the names of the product's rules, and one entry for the product; once attached it changes nothing", async () => {
    const [b, a] = [await seedRule({ name: 'b rule' }), await seedRule({ name: 'a rule' })];
    const { name: product } = await app.seed.product();
    await app.rest('POST', '/rules/attach', { rule: b.name, product });
    const response = await app.rest('POST', '/rules/attach', { rule: a.name, product });
    expect([response.status, response.body]).toEqual([200, ['a rule', 'b rule']]);
    expect(await activityOf(app, response)).toMatchObject([
      {
        event: 'product.updated',
        resource_id: product,
        changes: { rules: [['b rule'], ['a rule', 'b rule']] },
      },
    ]);
    const again = await app.rest('POST', '/rules/attach', { rule: a.name, product });
    expect([again.status, again.body]).toEqual([200, ['a rule', 'b rule']]);
    expect(await activityOf(app, again)).toEqual([]);
  });

  it('200: many at once, none is lost', async () => {
    const { name: product } = await app.seed.product();
    const rules = await Promise.all(Array.from({ length: 20 }, () => seedRule()));
    await Promise.all(rules.map(({ name }) => app.rest('POST', '/rules/attach', { rule: name, product })));
    const last = await app.rest('POST', '/rules/attach', { rule: rules[0]?.name, product });
    expect(last.body).toEqual(rules.map(({ name }) => name).sort());
  });

  it.each(['attach', 'detach'])('404 and 422: an unknown or missing rule or product (%s)', async (verb) => {
    const { name: rule } = await seedRule();
    const { name: product } = await app.seed.product();
    const noRule = await app.rest('POST', `/rules/${verb}`, { rule: 'Nothing', product });
    expect([noRule.status, noRule.body.code]).toEqual([404, 'RULE_NOT_FOUND']);
    const noProduct = await app.rest('POST', `/rules/${verb}`, { rule, product: 'Nothing' });
    expect([noProduct.status, noProduct.body.code]).toEqual([404, 'PRODUCT_NOT_FOUND']);
    const neither = await app.rest('POST', `/rules/${verb}`, {});
    expect([neither.status, neither.body.errors]).toMatchObject([
      422,
      [{ pointer: '/rule' }, { pointer: '/product' }],
    ]);
  });
});

describe('POST /rules/detach', () => {
  it('200: the names that remain', async () => {
    const [first, second] = [await seedRule(), await seedRule()];
    const { name: product } = await app.seed.product();
    await app.rest('POST', '/rules/attach', { rule: first.name, product });
    await app.rest('POST', '/rules/attach', { rule: second.name, product });
    const response = await app.rest('POST', '/rules/detach', { rule: first.name, product });
    expect([response.status, response.body]).toEqual([200, [second.name]]);
    expect(await activityOf(app, response)).toHaveLength(1);
  });
});

describe('GraphQL rules', () => {
  it('filters, orders and pages, with the products of each', async () => {
    const { name: product } = await app.seed.product();
    const { name: rule } = await seedRule({ type: 'agent', config: { pattern: 'x' }, action: 'warn' });
    await app.rest('POST', '/rules/attach', { rule, product });
    const query = `query ($filter: RuleFilter) {
      rules(filter: $filter, orderBy: { field: name }) { totalCount nodes { name type action productNames } } }`;
    const { data } = await app.graphql(query, {
      filter: { product, type: 'agent', action: 'warn', global: false },
    });
    expect(data.rules).toEqual({
      totalCount: 1,
      nodes: [{ name: rule, type: 'agent', action: 'warn', productNames: [product] }],
    });
    const none = await app.graphql(query, { filter: { product: 'Nothing' } });
    expect(none.data.rules).toEqual({ totalCount: 0, nodes: [] });
  });

  it('refuses a bad config with its pointer', async () => {
    const { errors } = await app.graphql(
      'mutation { createRule(input: { type: ip, config: { cidrs: ["x"] } }) { id } }',
    );
    expect(errors[0]?.extensions).toMatchObject({
      code: 'INVALID_FIELD',
      errors: [{ pointer: '/config/cidrs/0' }],
    });
  });
});

describe('POST /licenses/validate', () => {
  it('200 VERSION_DENIED in the words of an attached rule, until it is detached', async () => {
    const { name: product } = await app.seed.product();
    const { key: license_key } = await app.seed.license({ product });
    const { name: rule } = await seedRule({ config: { range: '>=2' }, message: 'Please update to 2.' });
    const validate = async () =>
      (await app.anonymous('POST', '/licenses/validate', { license_key, version: '1.0.0' })).body as object;
    expect(await validate()).toMatchObject({ valid: true, code: 'VALID' });
    await app.rest('POST', '/rules/attach', { rule, product });
    expect(await validate()).toMatchObject({
      valid: false,
      code: 'VERSION_DENIED',
      message: 'Please update to 2.',
    });
    await app.rest('PATCH', '/rules', { name: rule, action: 'warn', config: { range: '<2' } });
    expect(await validate()).toMatchObject({ valid: true, warnings: ['Please update to 2.'] });
    await app.rest('POST', '/rules/detach', { rule, product });
    expect(await validate()).toMatchObject({ valid: true, warnings: [] });
  });
});
