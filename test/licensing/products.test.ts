import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { describeNamedRecords } from '../support/named-records.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

describe('POST /products', () => {
  it('201: the product with its addons', async () => {
    const addon = await app.seed.addon();
    const response = await app.rest('POST', '/products', {
      name: 'Alpha',
      addons: [addon.name],
      session_ttl: 120,
    });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      id: expect.any(Number),
      name: 'Alpha',
      addons: [addon.name],
      whitelists: [],
      session_ttl: 120,
      createdAt: '2026-01-15T12:00:00.000Z',
      updatedAt: '2026-01-15T12:00:00.000Z',
    });
  });

  it('201 once and 409 for all others when 1000 ask for the same name at once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 1000 }, () => app.rest('POST', '/products', { name: 'Contested' })),
    );
    const counts = Map.groupBy(responses, (response) => response.status);
    expect([...counts].map(([status, all]) => [status, all.length]).sort()).toEqual([
      [201, 1],
      [409, 999],
    ]);
    expect(counts.get(409)?.[0]?.body).toMatchObject({ code: 'ALREADY_EXISTS' });
    const [row] = await app.sql<{ count: string }>(
      "select count(*) from activity where event = 'product.created' and resource_id = 'Contested'",
    );
    expect(row?.count).toBe('1');
  });

  it('422: addons and whitelists that do not exist are named, and nothing is kept', async () => {
    const { name: known } = await app.seed.addon();
    const addons = await app.rest('POST', '/products', { name: 'Bad', addons: [known, 'Nix', 'Nada'] });
    expect(addons.status).toBe(422);
    expect(addons.body.errors).toEqual([
      {
        pointer: '/addons',
        code: 'INVALID_FIELD',
        detail: 'addons names no existing addon: "Nix", "Nada"',
      },
    ]);
    const whitelists = await app.rest('POST', '/products', { name: 'Bad', whitelists: ['Nix'] });
    expect(whitelists.body).toMatchObject({
      status: 422,
      detail: expect.stringContaining('Nix'),
      errors: [{ pointer: '/whitelists' }],
    });
    expect([...(await activityOf(app, addons)), ...(await activityOf(app, whitelists))]).toEqual([]);
    expect((await app.rest('POST', '/products', { name: 'Bad' })).status).toBe(201);
  });

  it.each([59, 86_401, 60.5, '120', true])('422: session_ttl %j', async (session_ttl) => {
    const response = await app.rest('POST', '/products', { name: 'Bad ttl', session_ttl });
    expect([response.status, response.body.errors]).toMatchObject([422, [{ pointer: '/session_ttl' }]]);
  });

  it.each([60, 86_400, null])('201: session_ttl %j', async (session_ttl) => {
    expect(await app.seed.product({ session_ttl })).toMatchObject({ session_ttl });
  });
});

describeNamedRecords('product', () => app);

describe('PATCH /products', () => {
  it('200: addons are replaced, session_ttl null goes back to the default, absent members stay', async () => {
    const [first, second] = [await app.seed.addon(), await app.seed.addon()];
    const { name } = await app.seed.product({ addons: [first.name], session_ttl: 90 });
    const addons = await app.rest('PATCH', '/products', { name, addons: [second.name] });
    expect(addons.body).toMatchObject({ addons: [second.name], session_ttl: 90 });
    expect(await activityOf(app, addons)).toMatchObject([
      { event: 'product.updated', changes: { addons: [[first.name], [second.name]] } },
    ]);
    const ttl = await app.rest('PATCH', '/products', { name, session_ttl: null });
    expect(ttl.body).toMatchObject({ addons: [second.name], session_ttl: null });
    expect(await activityOf(app, ttl)).toMatchObject([{ changes: { session_ttl: [90, null] } }]);
    expect((await app.rest('PATCH', '/products', { name, addons: [] })).body).toMatchObject({ addons: [] });
  });

  it('200: licenses and their verdicts show the new name', async () => {
    const { name } = await app.seed.product();
    const { key } = await app.seed.license({ product: name });
    await app.rest('PATCH', '/products', { name, new_name: 'Omega' });
    expect((await app.rest('GET', '/licenses')).body.at(-1)).toMatchObject({ key, product: 'Omega' });
    const { body } = await app.anonymous('POST', '/licenses/validate', {
      license_key: key,
      product: 'Omega',
    });
    expect(body).toMatchObject({ valid: true, product: 'Omega' });
  });

  it('422, and no 503: a name with U+0000, which ends a statement half-way', async () => {
    const { status, body } = await app.rest('PATCH', '/products', { name: 'a\u0000b', new_name: 'c' });
    expect([status, body.code]).toEqual([422, 'INVALID_FIELD']);
    expect(body.detail).toContain('U+0000');
  });

  it('422: a bad member undoes the good ones', async () => {
    const { name } = await app.seed.product({ session_ttl: 60 });
    const response = await app.rest('PATCH', '/products', { name, session_ttl: 70, addons: ['Nix'] });
    expect(response.status).toBe(422);
    expect(await activityOf(app, response)).toEqual([]);
    expect((await app.rest('GET', '/products')).body.at(-1)).toMatchObject({ name, session_ttl: 60 });
  });
});

describe('DELETE /products', () => {
  it('409 IN_USE: licenses refer to it, and it says how many', async () => {
    const { name } = await app.seed.product();
    await app.seed.license({ product: name });
    await app.seed.license({ product: name });
    for (const force of [undefined, false, null]) {
      const response = await app.rest('DELETE', '/products', { name, force });
      expect(response.body).toMatchObject({
        status: 409,
        code: 'IN_USE',
        detail: expect.stringContaining('2 licenses'),
      });
      expect(await activityOf(app, response)).toEqual([]);
    }
  });

  it('200 with force: unlinks and suspends its licenses, each with its event', async () => {
    const { name } = await app.seed.product();
    const active = await app.seed.license({ product: name });
    const suspended = await app.seed.license({ product: name, status: 'suspended' });
    const response = await app.rest('DELETE', '/products', { name, force: true });
    expect([response.status, response.body]).toEqual([200, { deleted: true }]);
    expect((await app.rest('GET', '/licenses')).body.slice(-2)).toMatchObject([
      { key: active.key, product: null, status: 'suspended' },
      { key: suspended.key, product: null, status: 'suspended' },
    ]);
    const entries = await activityOf(app, response);
    expect(entries).toMatchObject([
      {
        event: 'license.suspended',
        actor: 'api_key:*',
        resource_id: `…${active.key.slice(-6)}`,
        changes: { product: [name, null], status: ['active', 'suspended'] },
      },
      { event: 'license.updated', changes: { product: [name, null] } },
      { event: 'product.deleted', resource_id: name },
    ]);
    expect(JSON.stringify(entries)).not.toContain(active.key);
  });

  it('200 or 409, and never a license without its product, when a license is made meanwhile', async () => {
    for (let round = 0; round < 5; round++) {
      const { name } = await app.seed.product();
      const [deleted, made] = await Promise.all([
        app.rest('DELETE', '/products', { name }),
        app.rest('POST', '/licenses', { product: name }),
      ]);
      if (made.status === 201) expect([deleted.status, made.body.product]).toEqual([409, name]);
      else expect([deleted.status, [409, 422]]).toEqual([200, expect.arrayContaining([made.status])]);
    }
  });
});
