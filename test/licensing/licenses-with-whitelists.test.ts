import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { recordStatements } from '../support/statements.js';
import { whitelistKit } from '../support/whitelists.js';

let app: TestApp;
const { add, entriesOf, ipList, lastLicense, list } = whitelistKit(() => app);

beforeAll(async () => {
  app = await startApp();
});

describe('whitelists of licenses', () => {
  it('201: taken at creation, and in the activity log', async () => {
    const [name, closed] = [await list(), await ipList({ limit: 0 })];
    const whitelists = {
      [name]: { values: ['a', 'b', 'a'], limit: 2 },
      [closed]: { values: ['10.1.1.1/8'] },
    };
    const response = await app.rest('POST', '/licenses', { whitelists });
    const expected = {
      [name]: { values: ['a', 'b'], limit: 2 },
      [closed]: { values: ['10.0.0.0/8'], limit: 0 },
    };
    expect(response.status).toBe(201);
    expect(response.body).toHaveProperty('whitelists', expected);
    expect(await activityOf(app, response)).toMatchObject([
      { event: 'license.created', changes: { whitelists: [null, expected] } },
    ]);
  });

  it('200: replaced as a whole; what stays keeps its place', async () => {
    const [kept, gone] = [await list({ limit: -1 }), await list()];
    const { key } = await app.seed.license({
      whitelists: { [kept]: { values: ['b', 'a'] }, [gone]: { values: ['x'], limit: 4 } },
    });
    const response = await app.rest('PATCH', '/licenses', {
      key,
      whitelists: { [kept]: { values: ['0', 'a'] } },
    });
    expect(response.body).toHaveProperty('whitelists', { [kept]: { values: ['a', '0'], limit: -1 } });
    expect(await activityOf(app, response)).toMatchObject([
      {
        event: 'license.updated',
        changes: {
          whitelists: [
            { [kept]: { values: ['b', 'a'], limit: -1 }, [gone]: { values: ['x'], limit: 4 } },
            { [kept]: { values: ['a', '0'], limit: -1 } },
          ],
        },
      },
    ]);
  });

  it('200: absent and null leave them, {} takes them away', async () => {
    const name = await list();
    const { key, whitelists } = await app.seed.license({ whitelists: { [name]: { values: ['a'] } } });
    for (const body of [{ note: 'n' }, { whitelists: null }]) {
      expect((await app.rest('PATCH', '/licenses', { key, ...body })).body).toHaveProperty(
        'whitelists',
        whitelists,
      );
    }
    expect((await app.rest('PATCH', '/licenses', { key, whitelists: {} })).body).toHaveProperty(
      'whitelists',
      {},
    );
  });

  it('200: a record that was read changes nothing, and the limit of the definition does not become its own', async () => {
    const name = await list({ limit: 2 });
    const product = await app.seed.product({ whitelists: [name] });
    const { key } = await app.seed.license({
      product: product.name,
      whitelists: { [name]: { values: ['a', 'b'] } },
    });
    await app.rest('PATCH', '/licenses/whitelists', { license: key, whitelist: name, limit: 1 });
    const read = await lastLicense();
    const over = await app.rest('PATCH', '/licenses', read);
    expect([over.status, over.body, await activityOf(app, over)]).toEqual([200, read, []]);

    await app.rest('PATCH', '/licenses/whitelists', { license: key, whitelist: name, limit: null });
    await app.rest('PATCH', '/licenses', await lastLicense());
    await app.rest('PATCH', '/whitelists', { name, limit: 8 });
    expect(await entriesOf(key)).toMatchObject([{ limit: 8 }]);
  });

  it('200: a list may be called __proto__', async () => {
    await list({ name: '__proto__' });
    const { key } = await app.seed.license();
    const raw = `{"key": "${key}", "whitelists": {"__proto__": {"values": ["polluted"]}}}`;
    const response = await app.rest('PATCH', '/licenses', {}, { raw });
    expect(response.text).toContain('"__proto__":{"values":["polluted"],"limit":1}');
    expect(({} as Record<string, unknown>)['values']).toBeUndefined();
  });

  it('422: every problem with its pointer, and nothing is kept', async () => {
    const [name, ip] = [await list({ name: 'a/b' }), await ipList()];
    const { key } = await app.seed.license();
    for (const [whitelists, pointers] of [
      [{ Nix: {}, Nada: {} }, ['/whitelists/Nix', '/whitelists/Nada']],
      [{ [name]: { values: ['1', '2'] } }, ['/whitelists/a~1b/values']],
      [{ [name]: { values: [1] } }, ['/whitelists/a~1b/values']],
      [{ [name]: { limit: 2000 } }, ['/whitelists/a~1b/limit']],
      [{ [name]: { limit: '1' } }, ['/whitelists/a~1b/limit']],
      [{ [name]: ['1'] }, ['/whitelists/a~1b']],
      [{ [name]: null }, ['/whitelists/a~1b']],
      [{ [ip]: { values: ['nowhere'] } }, [`/whitelists/${ip}/values`]],
      [[], ['/whitelists']],
    ] as const) {
      const response = await app.rest('PATCH', '/licenses', { key, note: 'no', whitelists });
      const found = ((response.body as { errors?: { pointer: string }[] }).errors ?? []).map(
        ({ pointer }) => pointer,
      );
      expect([response.status, found]).toEqual([422, pointers]);
    }
    const unknown = await app.rest('PATCH', '/licenses', { key, whitelists: { [name]: { enforced: true } } });
    expect(unknown.body).toMatchObject({
      status: 422,
      code: 'UNKNOWN_FIELD',
      errors: [{ pointer: '/whitelists/a~1b/enforced' }],
    });
    expect(await lastLicense()).toMatchObject({
      key,
      note: null,
      whitelists: {},
    });
  });

  it('200 for exactly as many as there is room, when values are added while the license is changed', async () => {
    const name = await list({ limit: 3 });
    const { key } = await app.seed.license();
    await Promise.all([
      ...Array.from({ length: 10 }, (_, n) => add(key, name, `added ${n}`)),
      ...Array.from({ length: 5 }, (_, n) =>
        app.rest('PATCH', '/licenses', { key, whitelists: { [name]: { values: [`set ${n}`] } } }),
      ),
    ]);
    const [entry] = await entriesOf(key);
    expect(entry?.values.length).toBeLessThanOrEqual(3);
    expect(entry?.values.length).toBeGreaterThanOrEqual(1);
  });

  it('cost one statement for 100 licenses', async () => {
    const name = await list();
    const product = await app.seed.product({ whitelists: [name] });
    await Promise.all(
      Array.from({ length: 100 }, () =>
        app.seed.license({ product: product.name, whitelists: { [name]: { values: ['a'] } } }),
      ),
    );
    const recorder = await recordStatements(app.orm);
    let page: unknown[] = [];
    const sent = await recorder.during(async () => {
      page = (await app.rest('GET', '/licenses?limit=100')).body as unknown[];
    });
    expect(page).toHaveLength(100);
    expect(sent.filter((text) => text.includes('whitelist'))).toHaveLength(1);
  });
});
