import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { START, startApp } from '../support/app.js';
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

const readRule = async (name: string) =>
  (await app.rest('GET', `/rules?name=${encodeURIComponent(name)}`)).body[0] as Record<string, unknown>;

describe('POST /rules', () => {
  it('201: {} makes a rule that does nothing, with a name of its own', async () => {
    const response = await app.rest('POST', '/rules', {});
    const { id } = response.body as { id: number };
    expect([response.status, response.body]).toEqual([
      201,
      {
        ...{ id, name: `rule-${id}`, type: 'version', action: 'allow' },
        config: { range: '*', on_missing: 'allow' },
        ...{ message: null, global: false },
        ...{ createdAt: START.toISOString(), updatedAt: START.toISOString() },
      },
    ]);
    expect(await activityOf(app, response)).toMatchObject([
      { event: 'rule.created', resource_type: 'rule', resource_id: `rule-${id}`, actor: 'api_key:*' },
    ]);
  });

  it('201: a generated name steps aside for one that is taken', async () => {
    const { id } = (await app.rest('POST', '/rules', {})).body as { id: number };
    await seedRule({ name: `rule-${id + 2}` });
    const response = await app.rest('POST', '/rules', {});
    expect([response.status, response.body.name]).toEqual([201, `rule-${response.body.id as number}`]);
  });

  it('201: many at once with {} all have different names', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => app.rest('POST', '/rules', {})));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ body }) => body.name as string)).size).toBe(50);
  });

  it.each([
    ['version', { range: '^1.2 || 3.x' }],
    ['version', { range: '>=1', on_missing: 'allow' }],
    ['ip', { cidrs: [] }],
    ['ip', { cidrs: ['203.0.113.0/24', '2001:db8::/32', '192.0.2.1'] }],
    ['country', { countries: ['DE', 'at', 'T1'] }],
    ['country', { countries: [], header: 'X-Country' }],
    ['header', { name: 'X-Edition', equals: 'pro' }],
    ['header', { name: 'X-Edition', in: ['pro', ''] }],
    ['header', { name: 'X-Edition', pattern: '^pro-\\d+$' }],
    ['agent', { pattern: '(?i)plugin/[12]\\.' }],
    ['time', { from: '2026-01-01T00:00:00Z', until: '2026-02-01T00:00:00+01:00' }],
    ['time', { from: '2026-01-01T00:00:00.500Z' }],
    ['time', { until: '2028-02-29T00:00Z' }],
  ])('201: %s %j is kept as it was sent', async (type, config) => {
    const rule = await seedRule({ type, config, message: 'No.', global: true, action: 'warn' });
    expect(rule).toMatchObject({ type, config, message: 'No.', global: true, action: 'warn' });
    expect(await readRule(rule.name)).toEqual(rule);
    await app.rest('DELETE', '/rules', { name: rule.name });
  });

  it.each([
    [{ type: 'version', config: {} }, '/config/range'],
    [{ type: 'version', config: { range: 'latest' } }, '/config/range'],
    [{ type: 'version', config: { range: 7 } }, '/config/range'],
    [{ type: 'version', config: { range: '1'.repeat(300) } }, '/config/range'],
    [{ type: 'version', config: { range: '*', on_missing: 'maybe' } }, '/config/on_missing'],
    [{ type: 'ip', config: { cidrs: '10.0.0.0/8' } }, '/config/cidrs'],
    [{ type: 'ip', config: { cidrs: ['10.0.0.0/8', '10.0.0.0/33'] } }, '/config/cidrs/1'],
    [{ type: 'ip', config: { cidrs: ['::/129'] } }, '/config/cidrs/0'],
    [{ type: 'ip', config: { cidrs: ['10.0.0.0/08'] } }, '/config/cidrs/0'],
    [{ type: 'ip', config: { cidrs: ['10.0.0'] } }, '/config/cidrs/0'],
    [{ type: 'ip', config: { cidrs: ['fe80::1%eth0'] } }, '/config/cidrs/0'],
    [{ type: 'ip', config: { cidrs: [null] } }, '/config/cidrs/0'],
    [{ type: 'ip', config: { cidrs: Array.from({ length: 1001 }, () => '::1') } }, '/config/cidrs'],
    [{ type: 'ip' }, '/config'],
    [{ type: 'country', config: { countries: ['Germany'] } }, '/config/countries/0'],
    [{ type: 'country', config: { countries: ['DE'], header: 'a b' } }, '/config/header'],
    [{ type: 'header', config: { equals: 'a' } }, '/config/name'],
    [{ type: 'header', config: { name: 'X' } }, '/config'],
    [{ type: 'header', config: { name: 'X', equals: 'a', in: ['a'] } }, '/config'],
    [{ type: 'header', config: { name: 'X', pattern: '(' } }, '/config/pattern'],
    [{ type: 'agent', config: { pattern: '(?=a)' } }, '/config/pattern'],
    [{ type: 'agent', config: { pattern: '(a)\\1' } }, '/config/pattern'],
    [{ type: 'agent', config: { pattern: '((a{100}){100}){100}' } }, '/config/pattern'],
    [{ type: 'agent', config: { pattern: '[a-z]{1,500}' } }, '/config/pattern'],
    [{ type: 'agent', config: { pattern: '' } }, '/config/pattern'],
    [{ type: 'agent', config: { pattern: 'a'.repeat(513) } }, '/config/pattern'],
    [{ type: 'time', config: {} }, '/config'],
    [{ type: 'time', config: { from: '2026-01-01' } }, '/config/from'],
    [{ type: 'time', config: { from: '2026-02-31T00:00:00Z' } }, '/config/from'],
    [{ type: 'time', config: { until: 'tomorrow' } }, '/config/until'],
    [
      { type: 'time', config: { from: '2026-01-01T00:00:00Z', until: '2026-01-01T00:00:00Z' } },
      '/config/until',
    ],
    [{ type: 'place' }, '/type'],
    [{ action: 'maybe' }, '/action'],
    [{ config: [] }, '/config'],
    [{ config: 'x' }, '/config'],
    [{ name: '' }, '/name'],
    [{ message: 7 }, '/message'],
    [{ global: 'yes' }, '/global'],
  ])('422 INVALID_FIELD: %j', async (fields, pointer) => {
    const response = await app.rest('POST', '/rules', fields);
    expect([response.status, response.body]).toMatchObject([
      422,
      { code: 'INVALID_FIELD', errors: [{ pointer }] },
    ]);
    expect(await activityOf(app, response)).toEqual([]);
  });

  it.each([
    [{ type: 'ip', config: { cidrs: [], color: 1 } }, '/config/color'],
    [{ type: 'version', config: { range: '*', cidrs: [] } }, '/config/cidrs'],
    [{ type: 'version', config: { range: '*', constructor: 1 } }, '/config/constructor'],
    [{ type: 'version', config: { range: '*', 'a/b~c': 1 } }, '/config/a~1b~0c'],
    [{ colour: 'red' }, '/colour'],
  ])('422 UNKNOWN_FIELD: %j', async (fields, pointer) => {
    const response = await app.rest('POST', '/rules', fields);
    expect([response.status, response.body]).toMatchObject([
      422,
      { code: 'UNKNOWN_FIELD', errors: [{ pointer }] },
    ]);
  });

  it('422: a member named __proto__ is an unknown member', async () => {
    const raw = '{"config":{"range":"*","__proto__":{"on_missing":"allow"}}}';
    const response = await app.rest('POST', '/rules', undefined, {
      raw,
      headers: { 'content-type': 'application/json' },
    });
    expect([response.status, response.body.errors]).toMatchObject([422, [{ pointer: '/config/__proto__' }]]);
  });

  it('422: every problem is told at once, in words', async () => {
    const config = { cidrs: 5, color: 1 };
    const { body } = await app.rest('POST', '/rules', { type: 'ip', config });
    expect(body.errors).toEqual([
      {
        pointer: '/config/color',
        code: 'UNKNOWN_FIELD',
        detail: 'config.color is not a known field of type ip; allowed: cidrs',
      },
      {
        pointer: '/config/cidrs',
        code: 'INVALID_FIELD',
        detail:
          'config.cidrs must be a list of at most 1000, each an IP address or CIDR, such as "203.0.113.0/24"; got 5',
      },
    ]);
  });

  it('409 ALREADY_EXISTS: the name is taken', async () => {
    const { name } = await seedRule();
    const response = await app.rest('POST', '/rules', { name });
    expect([response.status, response.body.code]).toEqual([409, 'ALREADY_EXISTS']);
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('201: a rule that was read is sent back under another name', async () => {
    const read = await seedRule();
    expect((await app.rest('POST', '/rules', { ...read, name: 'Sent back' })).status).toBe(201);
  });
});

describe('GET /rules', () => {
  it('200: all in the order of their ids; one by its name; none for an unknown one', async () => {
    const { name } = await seedRule();
    const all = (await app.rest('GET', '/rules')).body as { id: number; name: string }[];
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => a - b));
    expect(all.at(-1)).toMatchObject({ name });
    expect(await readRule(name)).toMatchObject({ name });
    expect((await app.rest('GET', '/rules?name=Nothing')).body).toEqual([]);
  });

  it('200: pages by limit and cursor', async () => {
    await seedRule();
    await seedRule();
    const first = await app.rest('GET', '/rules?limit=1');
    const [, next = ''] = /^<(.+)>; rel="next"$/.exec(String(first.headers['link'])) ?? [];
    const second = await app.rest('GET', next);
    expect([first.body.length, second.body.length]).toEqual([1, 1]);
    expect(second.body[0].id).not.toBe(first.body[0].id);
  });

  it('400 BAD_PARAMETER: an unknown one', async () => {
    const response = await app.rest('GET', '/rules?type=ip');
    expect([response.status, response.body.code]).toEqual([400, 'BAD_PARAMETER']);
  });
});

describe('PATCH /rules', () => {
  it('204: changes what is sent, and nothing else', async () => {
    const rule = await seedRule({ message: 'Old.' });
    app.clock.advance(1000);
    const { name } = rule;
    const response = await app.rest('PATCH', '/rules', { name, action: 'deny', config: { range: '<1' } });
    expect([response.status, response.text]).toEqual([204, '']);
    expect(await readRule(name)).toEqual({
      ...rule,
      action: 'deny',
      config: { range: '<1' },
      updatedAt: app.clock.now().toISOString(),
    });
    expect(await activityOf(app, response)).toMatchObject([
      {
        event: 'rule.updated',
        resource_id: name,
        changes: { action: ['allow', 'deny'], config: [{ range: '>=1' }, { range: '<1' }] },
      },
    ]);
  });

  it('204: null clears the message; new_name renames; the same again changes nothing', async () => {
    const { name } = await seedRule({ message: 'Old.' });
    await app.rest('PATCH', '/rules', { name, message: null, new_name: `${name} renamed` });
    expect(await readRule(`${name} renamed`)).toMatchObject({ message: null });
    const again = await app.rest('PATCH', '/rules', { name: `${name} renamed`, message: null, ...VERSION });
    expect(again.status).toBe(204);
    expect(await activityOf(app, again)).toEqual([]);
  });

  it('422: a type that the stored config does not fit, and nothing is kept', async () => {
    const { name } = await seedRule();
    const response = await app.rest('PATCH', '/rules', { name, type: 'ip', message: 'New.' });
    expect([response.status, response.body.errors]).toMatchObject([
      422,
      [{ pointer: '/config/cidrs' }, { pointer: '/config/range' }],
    ]);
    expect(await readRule(name)).toMatchObject({ type: 'version', message: null });
    const both = await app.rest('PATCH', '/rules', { name, type: 'ip', config: { cidrs: ['::1'] } });
    expect(both.status).toBe(204);
  });

  it('404 RULE_NOT_FOUND, 409 ALREADY_EXISTS, 422 without a name', async () => {
    const [{ name }, other] = [await seedRule(), await seedRule()];
    const unknown = await app.rest('PATCH', '/rules', { name: 'Nothing' });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'RULE_NOT_FOUND']);
    const taken = await app.rest('PATCH', '/rules', { name, new_name: other.name });
    expect([taken.status, taken.body.code]).toEqual([409, 'ALREADY_EXISTS']);
    const nameless = await app.rest('PATCH', '/rules', {});
    expect([nameless.status, nameless.body.errors]).toMatchObject([422, [{ pointer: '/name' }]]);
  });

  it('204: two changes at once both stay', async () => {
    const { name } = await seedRule();
    await Promise.all([
      app.rest('PATCH', '/rules', { name, message: 'M' }),
      app.rest('PATCH', '/rules', { name, action: 'deny' }),
      app.rest('PATCH', '/rules', { name, config: { range: '<9' } }),
    ]);
    expect(await readRule(name)).toMatchObject({ message: 'M', action: 'deny', config: { range: '<9' } });
  });
});

describe('DELETE /rules', () => {
  it('204: products lose it, each with its event', async () => {
    const [{ name }, other] = [await seedRule(), await seedRule()];
    const { name: product } = await app.seed.product();
    await app.rest('POST', '/rules/attach', { rule: name, product });
    await app.rest('POST', '/rules/attach', { rule: other.name, product });
    const response = await app.rest('DELETE', '/rules', { name });
    expect([response.status, response.text]).toEqual([204, '']);
    expect(await readRule(name)).toBeUndefined();
    expect(await activityOf(app, response)).toMatchObject([
      {
        event: 'product.updated',
        resource_id: product,
        changes: { rules: [[name, other.name].sort(), [other.name]] },
      },
      { event: 'rule.deleted', resource_id: name },
    ]);
  });

  it('404 RULE_NOT_FOUND', async () => {
    const response = await app.rest('DELETE', '/rules', { name: 'Nothing' });
    expect([response.status, response.body.code]).toEqual([404, 'RULE_NOT_FOUND']);
  });
});
