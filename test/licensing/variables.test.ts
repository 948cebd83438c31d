import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';

let app: TestApp;
let count = 0;

beforeAll(async () => {
  app = await startApp();
});

const nameOne = () => `key-${++count}`;
const raw = (text: string) => ({ raw: text, headers: { 'content-type': 'application/json' } });

/** The documented operations of a scope, as requests; `owner` is what names the owner there. */
const scopes = [
  { path: '/variables', name: 'name', owner: () => Promise.resolve({}), shown: () => '', scope: 'global' },
  {
    path: '/variables/product',
    name: 'name',
    owner: async () => ({ product: (await app.seed.product()).name }),
    shown: (owner: { product?: string }) => owner.product,
    scope: 'product',
  },
  {
    path: '/variables/user',
    name: 'key',
    owner: async () => ({ license_key: (await app.seed.license()).key }),
    shown: (owner: { license_key?: string }) => owner.license_key,
    scope: 'user',
  },
] as const;

async function list(path: string, owner: Record<string, string>) {
  const response = await app.rest('GET', `${path}?${new URLSearchParams(owner).toString()}`);
  expect(response.status).toBe(200);
  return response.body as { scope: string; owner: string; key: string; value: unknown }[];
}

describe.each(scopes)('$path', ({ path, name, owner, shown, scope }) => {
  it('POST 204, GET 200, PATCH 204, DELETE 204, each change with its entry', async () => {
    const of = await owner();
    const key = nameOne();
    const posted = await app.rest('POST', path, { ...of, [name]: key, value: { a: [1] } });
    expect([posted.status, posted.text]).toEqual([204, '']);
    expect((await list(path, of)).at(-1)).toEqual({ scope, owner: shown(of), key, value: { a: [1] } });
    const patched = await app.rest('PATCH', path, { ...of, [name]: key, value: 'new' });
    expect([patched.status, patched.text]).toEqual([204, '']);
    expect((await list(path, of)).at(-1)).toMatchObject({ key, value: 'new' });
    const deleted = await app.rest('DELETE', path, { ...of, [name]: key });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await list(path, of)).some((each) => each.key === key)).toBe(false);

    const entries = await Promise.all([posted, patched, deleted].map((each) => activityOf(app, each)));
    expect(entries).toMatchObject([
      [{ event: 'variable.created', changes: { value: [null, { a: [1] }] } }],
      [{ event: 'variable.updated', changes: { value: [{ a: [1] }, 'new'] } }],
      [{ event: 'variable.deleted', changes: { value: ['new', null] } }],
    ]);
    expect(entries.flat()).toMatchObject(Array(3).fill({ resource_type: 'variable', source: 'rest' }));
  });

  it('POST 409 ALREADY_EXISTS: the key is there, and its value stays', async () => {
    const of = await owner();
    const key = nameOne();
    await app.rest('POST', path, { ...of, [name]: key, value: 1 });
    const response = await app.rest('POST', path, { ...of, [name]: key, value: 2 });
    expect([response.status, response.body.code]).toEqual([409, 'ALREADY_EXISTS']);
    expect((await list(path, of)).find((each) => each.key === key)?.value).toBe(1);
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('POST 204 once and 409 for all others at once', async () => {
    const of = await owner();
    const key = nameOne();
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, value) => app.rest('POST', path, { ...of, [name]: key, value })),
    );
    expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(29);
  });

  it('PATCH 204 without value sets null; the same again changes nothing', async () => {
    const of = await owner();
    const key = nameOne();
    await app.rest('POST', path, { ...of, [name]: key, value: 1 });
    expect((await app.rest('PATCH', path, { ...of, [name]: key })).status).toBe(204);
    expect((await list(path, of)).find((each) => each.key === key)).toMatchObject({ value: null });
    const again = await app.rest('PATCH', path, { ...of, [name]: key, value: null });
    expect([again.status, await activityOf(app, again)]).toEqual([204, []]);
  });

  it('PATCH and DELETE 404 VARIABLE_NOT_FOUND', async () => {
    const of = await owner();
    for (const method of ['PATCH', 'DELETE']) {
      const response = await app.rest(method, path, { ...of, [name]: 'nothing' });
      expect([response.status, response.body.code]).toEqual([404, 'VARIABLE_NOT_FOUND']);
    }
  });

  it('POST 422 without value', async () => {
    const of = await owner();
    const response = await app.rest('POST', path, { ...of, [name]: nameOne() });
    expect([response.status, response.body.errors]).toMatchObject([422, [{ pointer: '/value' }]]);
  });

  it.each(['', 'a b', 'ä', 'a/b', 'k'.repeat(65), 7, null])('POST 422: the key %j', async (key) => {
    const of = await owner();
    const response = await app.rest('POST', path, { ...of, [name]: key, value: 1 });
    expect([response.status, response.body.errors]).toMatchObject([422, [{ pointer: `/${name}` }]]);
  });

  it('POST 204 and GET: any value comes back as it was sent, under keys of any kind', async () => {
    const of = await owner();
    const values = [
      null,
      false,
      0,
      '',
      '123',
      'null',
      '"x"',
      '{"a":1}',
      [],
      {},
      1e308,
      [[[[[[[['deep']]]]]]]],
    ];
    const sent = values.map((value, index) => ({ key: `value-${index}`, value: value }));
    for (const { key, value } of sent) {
      expect((await app.rest('POST', path, { ...of, [name]: key, value })).status).toBe(204);
    }
    expect(await list(path, of)).toEqual(
      expect.arrayContaining(sent.map(({ key, value }) => ({ scope, owner: shown(of), key, value }))),
    );
  });

  it('POST 204 and GET: __proto__, constructor and toString are keys and members like any other', async () => {
    const of = await owner();
    const value = '{"__proto__":{"polluted":true},"constructor":1,"toString":[2]}';
    for (const key of ['__proto__', 'constructor', 'toString']) {
      const body = `{${JSON.stringify(of).slice(1, -1)}${Object.keys(of).length > 0 ? ',' : ''}"${name}":"${key}","value":${value}}`;
      expect((await app.rest('POST', path, undefined, raw(body))).status).toBe(204);
    }
    const response = await app.rest('GET', `${path}?${new URLSearchParams(of).toString()}`);
    for (const key of ['__proto__', 'constructor', 'toString']) {
      expect(response.text).toContain(`"key":"${key}"`);
    }
    const [first] = (response.body as { key: string; value: object }[]).filter(
      (each) => each.key === '__proto__',
    );
    expect(Object.entries(first?.value ?? {}).sort()).toEqual([
      ['__proto__', { polluted: true }],
      ['constructor', 1],
      ['toString', [2]],
    ]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    ['16 385 bytes', 'x'.repeat(16 * 1024 - 1)],
    ['9 levels', [[[[[[[[['deep']]]]]]]]]],
    ['numbers that the database writes out', Array.from({ length: 100 }, () => 1e308)],
  ])('POST and PATCH 422: a value of %s', async (_, value) => {
    const of = await owner();
    const key = nameOne();
    await app.rest('POST', path, { ...of, [name]: key, value: 'x'.repeat(16 * 1024 - 2) });
    for (const response of [
      await app.rest('POST', path, { ...of, [name]: nameOne(), value }),
      await app.rest('PATCH', path, { ...of, [name]: key, value }),
    ]) {
      expect([response.status, response.body.errors]).toMatchObject([422, [{ pointer: '/value' }]]);
    }
  });

  it('GET 200 pages by limit and cursor', async () => {
    const of = await owner();
    for (let n = 0; n < 3; n++) await app.rest('POST', path, { ...of, [name]: nameOne(), value: n });
    const query = new URLSearchParams({ ...of, limit: '2' });
    const first = await app.rest('GET', `${path}?${query.toString()}`);
    const [, next = ''] = /^<(.+)>; rel="next"$/.exec(String(first.headers['link'])) ?? [];
    const second = await app.rest('GET', next);
    const keys = [...first.body, ...second.body].map((each: { key: string }) => each.key);
    expect([first.body.length, new Set(keys).size]).toEqual([2, keys.length]);
  });
});
