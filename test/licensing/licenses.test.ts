import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { START, startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

const GENERATED = /^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){4}$/;

describe('POST /licenses', () => {
  it('201: {} creates an active one that never expires', async () => {
    const response = await app.rest('POST', '/licenses', {});
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({
      id: expect.any(Number),
      key: expect.stringMatching(GENERATED),
      product: null,
      customer: null,
      status: 'active',
      expires_at: null,
      seats: -1,
      note: null,
      addons: [],
      whitelists: {},
      createdAt: START.toISOString(),
      updatedAt: START.toISOString(),
    });
  });

  it('201: every documented field, and one activity entry without the key', async () => {
    const { name: product } = await app.seed.product();
    const { name: customer } = await app.seed.customer();
    const addons = [(await app.seed.addon()).name, (await app.seed.addon()).name];
    const fields = {
      key: 'Own-Key-0001',
      ...{ product, customer, addons, seats: 3, note: 'a note', status: 'suspended' },
      expires_at: '2027-01-31T12:00:00.000Z',
    };
    const response = await app.rest('POST', '/licenses', fields);
    expect([response.status, response.body]).toMatchObject([201, fields]);
    const entries = await activityOf(app, response);
    expect(entries).toMatchObject([
      {
        event: 'license.created',
        actor: 'api_key:*',
        source: 'rest',
        resource_id: '…y-0001',
        changes: {
          key: [null, '…y-0001'],
          product: [null, product],
          addons: [null, addons],
          expires_at: [null, expect.stringContaining('2027-01-31')],
        },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain('Own-Key-0001');
  });

  it.each(['123456', 'k'.repeat(255), 'Ключ-к-замку', '🔑🔑🔑🔑 😀', 'ABC 12'])(
    '201: own key %j',
    async (key) => {
      const response = await app.rest('POST', '/licenses', { key });
      expect([response.status, response.body.key]).toEqual([201, key]);
      expect(JSON.stringify(await activityOf(app, response))).not.toContain(key);
    },
  );

  it.each(['12345', 'k'.repeat(256), '', ' padded', 'a\u0000bcdef', 'a\nbcdef', 'abcdef\ud83d', 123456])(
    '422: own key %j',
    async (key) => {
      const response = await app.rest('POST', '/licenses', { key });
      expect([response.status, response.body.errors]).toMatchObject([422, [{ pointer: '/key' }]]);
    },
  );

  it('409 ALREADY_EXISTS: also for a key that reads alike, and the answer does not tell the key', async () => {
    const { key } = await app.seed.license();
    await app.seed.license({ key: 'My-Own-Key' });
    const alike = [key, key.toLowerCase(), key.replaceAll('-', ''), 'MY-OWN-KEY', 'my-own-key'];
    for (const again of alike) {
      const response = await app.rest('POST', '/licenses', { key: again });
      expect([response.status, response.body.code]).toEqual([409, 'ALREADY_EXISTS']);
      expect(response.text).not.toContain(again);
      expect(await activityOf(app, response)).toEqual([]);
    }
    // Dashes count in a key that is not a generated one.
    expect((await app.rest('POST', '/licenses', { key: 'MyOwnKey' })).status).toBe(201);
  });

  it.each([
    ['/product', { product: 'Nix' }, '"Nix"'],
    ['/customer', { customer: 'Nix' }, '"Nix"'],
    ['/addons', { addons: ['Nix', 'Nada'] }, '"Nix", "Nada"'],
    ['/whitelists/Nix', { whitelists: { Nix: { values: [], limit: 1 } } }, 'Nix'],
    ['/seats', { seats: 0 }, '0'],
    ['/seats', { seats: -2 }, '-2'],
    ['/seats', { seats: 1.5 }, '1.5'],
    ['/status', { status: 'expired' }, 'active, suspended, revoked'],
    ['/expires_at', { expires_at: '2027-02-31' }, '2027-02-31'],
    ['/expires_at', { expires_at: 'tomorrow' }, 'tomorrow'],
    ['/note', { note: 'n'.repeat(4097) }, 'at most 4096'],
    ['/colour', { colour: 'red' }, 'colour'],
  ])('422: %s of %j is named', async (pointer, fields, named) => {
    const response = await app.rest('POST', '/licenses', { key: 'Never-Made', ...fields });
    expect(response.body).toMatchObject({
      status: 422,
      detail: expect.stringContaining(named),
      errors: [expect.objectContaining({ pointer })],
    });
    expect(await activityOf(app, response)).toEqual([]);
    expect((await app.rest('DELETE', '/licenses', { key: 'Never-Made' })).status).toBe(404);
  });
});

describe('GET /licenses', () => {
  it('200: all, by id, with the names of what they refer to', async () => {
    const { name: product } = await app.seed.product();
    const made = [await app.seed.license({ product }), await app.seed.license()];
    const response = await app.rest('GET', '/licenses');
    expect([response.status, response.body.slice(-2)]).toEqual([200, made]);
  });
});

describe('PATCH /licenses', () => {
  it('200: what is absent stays, null takes away', async () => {
    const { name: product } = await app.seed.product();
    const { name: customer } = await app.seed.customer();
    const { name: addon } = await app.seed.addon();
    const full = {
      ...{ product, customer, addons: [addon] },
      note: 'n',
      expires_at: '2027-01-01T00:00:00.000Z',
    };
    const { key } = await app.seed.license(full);
    app.clock.advance(1000);
    const seats = await app.rest('PATCH', '/licenses', { key, seats: 5 });
    expect(seats.body).toMatchObject({ ...full, seats: 5, updatedAt: app.clock.now().toISOString() });
    expect(await activityOf(app, seats)).toMatchObject([
      { event: 'license.updated', actor: 'api_key:*', source: 'rest', changes: { seats: [-1, 5] } },
    ]);
    const nothing = { product: null, customer: null, note: null, expires_at: null, addons: [] };
    const response = await app.rest('PATCH', '/licenses', { key, ...nothing });
    expect(response.body).toMatchObject({ ...nothing, seats: 5, status: 'active' });
    const [entry, ...others] = await activityOf(app, response);
    expect(others).toEqual([]);
    expect(entry?.changes).toEqual({
      product: [product, null],
      customer: [customer, null],
      note: ['n', null],
      expires_at: [expect.stringContaining('2027-01-01'), null],
      addons: [[addon], []],
    });
  });

  it('200: addons are replaced as a whole', async () => {
    const [a, b, c] = [await app.seed.addon(), await app.seed.addon(), await app.seed.addon()];
    const { key } = await app.seed.license({ addons: [a.name, b.name] });
    const response = await app.rest('PATCH', '/licenses', { key, addons: [c.name, b.name, c.name] });
    expect(response.body.addons).toEqual([b.name, c.name].sort());
  });

  it.each([
    ['suspended', 'license.suspended'],
    ['revoked', 'license.revoked'],
    ['active', 'license.reinstated'],
  ])('200: status %s leaves %s, and nothing when it was so', async (status, event) => {
    const { key } = await app.seed.license({ status: status === 'active' ? 'suspended' : 'active' });
    const response = await app.rest('PATCH', '/licenses', { key, status });
    expect(response.body).toMatchObject({ status });
    expect((await activityOf(app, response)).map((entry) => entry.event)).toEqual([event]);
    expect(await activityOf(app, await app.rest('PATCH', '/licenses', { key, status }))).toEqual([]);
  });

  it('200: a license that was read is sent back and changes nothing', async () => {
    const license = await app.seed.license({ key: 'Sent-Back', expires_at: '2027-01-01' });
    app.clock.advance(1000);
    const response = await app.rest('PATCH', '/licenses', license);
    expect([response.status, response.body]).toEqual([200, license]);
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('200: new_key gives it another key, also one that ends alike; neither is logged whole', async () => {
    await app.seed.license({ key: 'First-Key-123456' });
    const response = await app.rest('PATCH', '/licenses', {
      key: 'first-key-123456',
      new_key: 'Other-Key-123456',
    });
    expect(response.body).toMatchObject({ key: 'Other-Key-123456' });
    const entries = await activityOf(app, response);
    expect(entries).toMatchObject([{ event: 'license.updated', changes: { key: ['…123456', '…123456'] } }]);
    expect(JSON.stringify(entries)).not.toMatch(/First-Key|Other-Key/);
    expect((await app.rest('PATCH', '/licenses', { key: 'First-Key-123456' })).status).toBe(404);
  });

  it('409 ALREADY_EXISTS: the new key is taken', async () => {
    const [first, second] = [await app.seed.license(), await app.seed.license()];
    const response = await app.rest('PATCH', '/licenses', { key: first.key, new_key: second.key });
    expect([response.status, response.body.code]).toEqual([409, 'ALREADY_EXISTS']);
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('200: the key is found however it is typed', async () => {
    const { key, id } = await app.seed.license({ key: 'A1B0C-D2E3F-G4H5J-K6M7N-P8Q9R' });
    const typed = [
      key.toLowerCase(),
      key.replaceAll('-', ''),
      key.replaceAll('0', 'O').replaceAll('1', 'I'),
      key.replaceAll('0', 'o').replaceAll('1', 'l'),
      ` ${key.replaceAll('-', ' ')} `,
    ];
    for (const variant of typed) {
      expect((await app.rest('PATCH', '/licenses', { key: variant })).body).toMatchObject({ id, key });
    }
  });

  it('404 LICENSE_NOT_FOUND: and the answer does not repeat the key', async () => {
    const response = await app.rest('PATCH', '/licenses', { key: 'No-Such-License', seats: 1 });
    expect([response.status, response.body.code]).toEqual([404, 'LICENSE_NOT_FOUND']);
    expect(response.text).not.toContain('No-Such-License');
  });

  it('422: an unknown addon undoes the rest', async () => {
    const { key } = await app.seed.license({ seats: 2 });
    const response = await app.rest('PATCH', '/licenses', { key, seats: 9, addons: ['Nix'] });
    expect(response.body).toMatchObject({ status: 422, errors: [{ pointer: '/addons' }] });
    expect((await app.rest('PATCH', '/licenses', { key })).body).toMatchObject({ seats: 2 });
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('200: changes of one license at once all count', async () => {
    const { key } = await app.seed.license();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => app.rest('PATCH', '/licenses', { key, seats: n + 1 })),
    );
    const entries = await Promise.all(responses.map((response) => activityOf(app, response)));
    const steps = entries.flat().map(({ changes }) => changes?.['seats'] ?? []);
    // Each one's "after" is the "before" of another: none worked on what was no longer so.
    const befores = new Set(steps.map(([before]) => before));
    expect([steps.length, befores.size]).toEqual([20, 20]);
  });
});

describe('DELETE /licenses', () => {
  it('200: {"deleted": true}, its sessions go, and one activity entry stays', async () => {
    const { key, id } = await app.seed.license();
    await app.anonymous('POST', '/licenses/validate', { license_key: key, identifier: 'seat' });
    const response = await app.rest('DELETE', '/licenses', { key: key.toLowerCase() });
    expect([response.status, response.body]).toEqual([200, { deleted: true }]);
    const entries = await activityOf(app, response);
    expect(entries).toMatchObject([{ event: 'license.deleted', resource_id: `…${key.slice(-6)}` }]);
    expect(await app.sql('select 1 from session where license_id = $1', [id])).toEqual([]);
    expect((await app.rest('DELETE', '/licenses', { key })).body.code).toBe('LICENSE_NOT_FOUND');
  });

  it('422: without a key', async () => {
    expect((await app.rest('DELETE', '/licenses', {})).body.errors).toMatchObject([{ pointer: '/key' }]);
  });
});
