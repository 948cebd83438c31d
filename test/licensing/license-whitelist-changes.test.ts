import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { masked, whitelistKit } from '../support/whitelists.js';

let app: TestApp;
const { add, clear, entriesOf, ipList, lastLicense, limit, list } = whitelistKit(() => app);

beforeAll(async () => {
  app = await startApp();
});

describe('PATCH /licenses/whitelists', () => {
  it('200: a lower limit keeps the values and binds no more, null goes back to the definition', async () => {
    const name = await list({ limit: 3 });
    const { key } = await app.seed.license({ whitelists: { [name]: { values: ['a', 'b'] } } });
    app.clock.advance(1000);
    const lowered = await limit(key, name, 1);
    expect([lowered.status, lowered.body]).toMatchObject([200, { limit: 1, values: ['a', 'b'] }]);
    expect(await activityOf(app, lowered)).toMatchObject([
      {
        event: 'license.updated',
        resource_id: masked(key),
        changes: { whitelists: [{ [name]: { limit: null } }, { [name]: { limit: 1 } }] },
      },
    ]);
    expect((await add(key, name, 'c')).status).toBe(409);
    expect((await add(key, name, 'b')).status).toBe(200);
    expect(await lastLicense()).toMatchObject({
      key,
      whitelists: { [name]: { values: ['a', 'b'], limit: 1 } },
      updatedAt: app.clock.now().toISOString(),
    });
    expect((await limit(key, name, null)).body).toMatchObject({ limit: 3 });
    expect((await add(key, name, 'c')).status).toBe(200);
    const again = await limit(key, name, null);
    expect([again.status, await activityOf(app, again)]).toEqual([200, []]);
  });

  it('200: a changed definition reaches licenses without a limit of their own only', async () => {
    const name = await list({ limit: 2 });
    const [own, others] = [
      await app.seed.license(),
      await app.seed.license({ whitelists: { [name]: { values: ['a'] } } }),
    ];
    await limit(own.key, name, 2);
    await app.rest('PATCH', '/whitelists', { name, limit: 9 });
    expect(await entriesOf(own.key)).toMatchObject([{ limit: 2 }]);
    expect(await entriesOf(others.key)).toMatchObject([{ limit: 9 }]);
  });

  it('404 and 422', async () => {
    const [name, { key }] = [await list(), await app.seed.license()];
    expect((await limit('NOBODY', name, 1)).body).toMatchObject({ status: 404, code: 'LICENSE_NOT_FOUND' });
    expect((await limit(key, 'Nix', 1)).body).toMatchObject({ status: 404, code: 'WHITELIST_NOT_FOUND' });
    for (const bad of [undefined, -2, 1001, 1.5, '1']) {
      const response = await limit(key, name, bad);
      expect([bad, response]).toMatchObject([
        bad,
        { status: 422, body: { errors: [{ pointer: '/limit' }] } },
      ]);
    }
  });
});

describe('DELETE /licenses/whitelists', () => {
  it("200: every value goes, the license's own limit stays", async () => {
    const name = await list();
    const { key } = await app.seed.license({ whitelists: { [name]: { values: ['a', 'b'], limit: 5 } } });
    const response = await clear(key, name);
    expect([response.status, response.body]).toEqual([200, { deleted: true }]);
    expect(await activityOf(app, response)).toMatchObject([
      { event: 'whitelist.cleared', resource_id: masked(key), changes: { [name]: [['a', 'b'], null] } },
    ]);
    expect(await entriesOf(key)).toMatchObject([{ values: [], limit: 5 }]);
    const again = await clear(key, name);
    expect([again.status, await activityOf(app, again)]).toEqual([200, []]);
  });

  it('200: one value, however it is written, which makes room for another', async () => {
    const name = await ipList({ limit: 2 });
    const { key } = await app.seed.license({ whitelists: { [name]: { values: ['10.0.0.1', '::1'] } } });
    expect((await clear(key, name, '0:0:0:0:0:0:0:1')).body).toEqual({ deleted: true });
    expect((await add(key, name, '10.0.0.3')).body).toHaveProperty('values', ['10.0.0.1', '10.0.0.3']);
  });

  it('404: license, list and value', async () => {
    const [name, { key }] = [await list(), await app.seed.license()];
    expect((await clear('NOBODY', name)).body).toMatchObject({ status: 404, code: 'LICENSE_NOT_FOUND' });
    expect((await clear(key, 'Nix')).body).toMatchObject({ status: 404, code: 'WHITELIST_NOT_FOUND' });
    expect((await clear(key, name, 'a')).body).toMatchObject({
      status: 404,
      code: 'WHITELIST_VALUE_NOT_FOUND',
    });
  });
});
