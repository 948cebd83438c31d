import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf, activityText } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

const PATH = '/licenses/variables';

describe('POST /licenses/variables', () => {
  it('201: a new variable, and 200: a new value of one that is there', async () => {
    const { key: license } = await app.seed.license();
    const created = await app.rest('POST', PATH, { license, key: 'colour', value: { r: 1 } });
    expect([created.status, created.body]).toEqual([201, { key: 'colour', value: { r: 1 } }]);
    const changed = await app.rest('POST', PATH, { license, key: 'colour', value: null });
    expect([changed.status, changed.body]).toEqual([200, { key: 'colour', value: null }]);
    const same = await app.rest('POST', PATH, { license, key: 'colour', value: null });
    expect([same.status, await activityOf(app, same)]).toEqual([200, []]);
    const resource_id = `license/…${license.slice(-6)}/colour`;
    expect(await activityOf(app, created)).toMatchObject([
      { event: 'variable.created', actor: 'api_key:*', resource_id, changes: { value: [null, { r: 1 }] } },
    ]);
    expect(await activityOf(app, changed)).toMatchObject([
      { event: 'variable.updated', resource_id, changes: { value: [{ r: 1 }, null] } },
    ]);
    expect(await activityText(app)).not.toContain(license);
  });

  it('201 once, else 200, and one variable in the end, when many come at once', async () => {
    const { key: license } = await app.seed.license();
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, value) => app.rest('POST', PATH, { license, key: 'raced', value })),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(29).fill(200), 201]);
    expect((await app.rest('GET', `${PATH}?license=${license}`)).body).toHaveLength(1);
  });

  it('201: a repeat by Idempotency-Key gets the first answer', async () => {
    const { key: license } = await app.seed.license();
    const post = () =>
      app.rest(
        'POST',
        PATH,
        { license, key: 'a', value: 1 },
        { headers: { 'idempotency-key': `v-${license}` } },
      );
    expect([(await post()).status, (await post()).status]).toEqual([201, 201]);
  });

  it('404 LICENSE_NOT_FOUND, 422 for what is missing or wrong', async () => {
    const { key: license } = await app.seed.license();
    const unknown = await app.rest('POST', PATH, { license: 'Nothing', key: 'a', value: 1 });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'LICENSE_NOT_FOUND']);
    for (const [body, pointer] of [
      [{ key: 'a', value: 1 }, '/license'],
      [{ license, value: 1 }, '/key'],
      [{ license, key: 'a b', value: 1 }, '/key'],
      [{ license, key: 'a' }, '/value'],
      [{ license, key: 'a', value: 1, name: 'b' }, '/name'],
    ] as const) {
      const response = await app.rest('POST', PATH, body);
      expect([response.status, response.body.errors]).toMatchObject([422, [{ pointer }]]);
    }
  });
});

describe('GET /licenses/variables', () => {
  it('200: by query or by body, the query wins; only the license’s own', async () => {
    const [{ key: license }, { key: other }] = [await app.seed.license(), await app.seed.license()];
    await app.rest('POST', PATH, { license, key: 'b', value: [1] });
    await app.rest('POST', PATH, { license, key: 'a', value: false });
    await app.anonymous('POST', '/variables/user', { license_key: license, key: 'user', value: 1 });
    const mine = [
      { key: 'b', value: [1] },
      { key: 'a', value: false },
    ];
    expect((await app.rest('GET', `${PATH}?license=${license}`)).body).toEqual(mine);
    expect((await app.rest('GET', PATH, { license })).body).toEqual(mine);
    expect((await app.rest('GET', `${PATH}?license=${license}`, { license: other })).body).toEqual(mine);
    expect((await app.rest('GET', `${PATH}?license=${other}`)).body).toEqual([]);
    const page = await app.rest('GET', `${PATH}?limit=1`, { license });
    const [, next = ''] = /^<(.+)>; rel="next"$/.exec(String(page.headers['link'])) ?? [];
    expect([page.body, (await app.rest('GET', next)).body]).toEqual([mine.slice(0, 1), mine.slice(1)]);
  });

  it('404 LICENSE_NOT_FOUND', async () => {
    const response = await app.rest('GET', `${PATH}?license=Nothing`);
    expect([response.status, response.body.code]).toEqual([404, 'LICENSE_NOT_FOUND']);
  });

  it('400: an empty license is named as it was sent', async () => {
    const { status, body } = await app.rest('GET', `${PATH}?license=`);
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ pointer: '/license' })]]);
  });

  it('400 or 422 without license', async () => {
    const nothing = await app.rest('GET', PATH);
    expect([nothing.status, nothing.body.code]).toEqual([400, 'BAD_PARAMETER']);
    const empty = await app.rest('GET', PATH, {});
    expect([empty.status, empty.body.errors]).toMatchObject([422, [{ pointer: '/license' }]]);
  });
});

describe('DELETE /licenses/variables', () => {
  it('200, then 404 VARIABLE_NOT_FOUND; 404 LICENSE_NOT_FOUND', async () => {
    const { key: license } = await app.seed.license();
    await app.rest('POST', PATH, { license, key: 'a', value: 1 });
    const deleted = await app.rest('DELETE', PATH, { license, key: 'a' });
    expect([deleted.status, deleted.body]).toEqual([200, { deleted: true }]);
    expect(await activityOf(app, deleted)).toMatchObject([{ event: 'variable.deleted' }]);
    const again = await app.rest('DELETE', PATH, { license, key: 'a' });
    expect([again.status, again.body.code]).toEqual([404, 'VARIABLE_NOT_FOUND']);
    const unknown = await app.rest('DELETE', PATH, { license: 'Nothing', key: 'a' });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'LICENSE_NOT_FOUND']);
  });

  it('a deleted license takes its variables along', async () => {
    const { key: license } = await app.seed.license();
    await app.rest('POST', PATH, { license, key: 'a', value: 1 });
    await app.rest('DELETE', '/licenses', { key: license });
    await app.seed.license({ key: license });
    expect((await app.rest('GET', `${PATH}?license=${license}`)).body).toEqual([]);
  });
});

describe('POST /licenses/validate', () => {
  it('200: global, overridden by product, overridden by license; user variables apart', async () => {
    const { name: product } = await app.seed.product();
    const { key: license } = await app.seed.license({ product });
    await app.rest('POST', '/variables', { name: 'a', value: 'global' });
    await app.rest('POST', '/variables', { name: 'b', value: 'global' });
    await app.rest('POST', '/variables', { name: 'c', value: 'global' });
    await app.rest('POST', '/variables/product', { product, name: 'b', value: 'product' });
    await app.rest('POST', '/variables/product', { product, name: 'c', value: 'product' });
    await app.rest('POST', PATH, { license, key: 'c', value: 'license' });
    await app.rest('POST', PATH, { license, key: '__proto__', value: { polluted: true } });
    await app.anonymous('POST', '/variables/user', { license_key: license, key: 'a', value: null });
    const { body, text } = await app.anonymous('POST', '/licenses/validate', { license_key: license });
    expect(body).toMatchObject({
      variables: { a: 'global', b: 'product', c: 'license' },
      user_variables: { a: null },
    });
    expect(text).toContain('"__proto__":{"polluted":true}');
  });
});
