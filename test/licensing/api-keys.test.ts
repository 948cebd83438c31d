import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityNamed, activityText } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { graphqlClient } from '../support/graphql.js';
import { restClient } from '../support/rest.js';
import { setConfiguredKey } from '../../src/licensing/api-keys/api-key.service.js';
import { firstKey } from '../../src/licensing/api-keys/first-key.service.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

const HOUR = 3_600_000;
const CREATE = `mutation ($input: CreateApiKeyInput!) {
  createApiKey(input: $input) { plain record { id keyId name scopes expiresAt lastUsedAt revokedAt createdAt } }
}`;
const ROTATE =
  'mutation ($id: String!) { rotateApiKey(keyId: $id) { plain record { keyId name scopes expiresAt } } }';
const REVOKE = 'mutation ($id: String!) { revokeApiKey(keyId: $id) { keyId revokedAt } }';
const LIST = '{ apiKeys { keyId name scopes expiresAt lastUsedAt revokedAt } }';

interface Issued {
  readonly plain: string;
  readonly record: { readonly keyId: string };
}

async function issue(scopes: string[], more: Record<string, unknown> = {}): Promise<Issued> {
  const { data, errors } = await app.graphql(CREATE, {
    input: { name: `key ${scopes.join()}`, scopes, ...more },
  });
  expect(errors).toEqual([]);
  return data.createApiKey as Issued;
}

/** What a key opens: 200, or the error's code. */
async function attempt(plain: string, method = 'GET', body?: unknown): Promise<unknown> {
  const response = await restClient(app.url, plain)(method, '/products', body);
  return response.body.code ?? response.status;
}

describe('createApiKey', () => {
  it('a key of 256 bit that works, is shown once and stored nowhere', async () => {
    const { plain, record } = await issue(['licensing:read'], { name: 'ops' });
    expect(plain).toMatch(new RegExp(`^lsk_${record.keyId}_[\\w-]{43}$`));
    expect(record).toMatchObject({
      keyId: expect.stringMatching(/^[a-z0-9]{8}$/),
      name: 'ops',
      lastUsedAt: null,
    });
    expect(await attempt(plain)).toBe(200);
    const secret = plain.slice(13);
    expect(JSON.stringify((await app.graphql(LIST)).data)).not.toContain(secret);
    expect(JSON.stringify(await app.sql('select k::text from api_key k'))).not.toContain(secret);
    expect(await activityText(app)).not.toContain(secret);
  });

  it('leaves one activity entry', async () => {
    const { record } = await issue(['licensing:write'], { name: 'logged' });
    const entries = await activityNamed(app, 'api_key.created');
    expect(entries.filter((entry) => entry.resource_id === record.keyId)).toMatchObject([
      {
        actor: 'api_key:*',
        source: 'graphql',
        changes: { name: [null, 'logged'], scopes: [null, ['licensing:write']] },
      },
    ]);
  });

  it.each([
    [{ scopes: ['everything'] }],
    [{ scopes: [] }],
    [{ scopes: ['*'], expiresAt: '2026-01-15T11:59:59Z' }],
  ])('INVALID_FIELD: %j', async (input) => {
    const { errors } = await app.graphql(CREATE, { input: { name: 'bad', ...input } });
    expect(errors[0]?.extensions).toMatchObject({ code: 'INVALID_FIELD' });
  });

  it('INSUFFICIENT_SCOPE: a key grants only what it has', async () => {
    const { plain } = await issue(['keys:write', 'licensing:read']);
    const own = graphqlClient(app.url, plain);
    for (const scopes of [['*'], ['licensing:read', 'licensing:write']]) {
      const { errors } = await own(CREATE, { input: { name: 'more', scopes } });
      expect(errors[0]?.extensions).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    }
    const granted = await own(CREATE, { input: { name: 'less', scopes: ['licensing:read'] } });
    expect(granted.errors).toEqual([]);
  });
});

describe('scopes', () => {
  it.each([
    ['licensing:read', 200, 'INSUFFICIENT_SCOPE'],
    ['licensing:write', 'INSUFFICIENT_SCOPE', 201],
    ['keys:write', 'INSUFFICIENT_SCOPE', 'INSUFFICIENT_SCOPE'],
    ['*', 200, 201],
  ])('%s: reading %s, writing %s', async (scope, reading, writing) => {
    const { plain } = await issue([scope]);
    expect(await attempt(plain)).toBe(reading);
    expect(await attempt(plain, 'POST', { name: `by ${scope}` })).toBe(writing);
  });

  it('keys:write alone manages keys', async () => {
    const { plain } = await issue(['licensing:read', 'licensing:write']);
    const { errors } = await graphqlClient(app.url, plain)(LIST);
    expect(errors[0]?.extensions).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    const anonymous = await graphqlClient(app.url, undefined)(LIST);
    expect(anonymous.errors[0]?.extensions).toMatchObject({ code: 'API_KEY_MISSING' });
  });
});

describe('rotateApiKey', () => {
  it('the old key works for another 24 hours, its successor on', async () => {
    const { plain, record } = await issue(['licensing:read']);
    const { data } = await app.graphql(ROTATE, { id: record.keyId });
    const successor = data.rotateApiKey as Issued;
    expect(successor.record).toMatchObject({ scopes: ['licensing:read'], expiresAt: null });
    expect(successor.record.keyId).not.toBe(record.keyId);
    expect([await attempt(plain), await attempt(successor.plain)]).toEqual([200, 200]);
    app.clock.advance(24 * HOUR - 1);
    expect(await attempt(plain)).toBe(200);
    app.clock.advance(1);
    expect([await attempt(plain), await attempt(successor.plain)]).toEqual(['API_KEY_EXPIRED', 200]);
    expect((await activityNamed(app, 'api_key.rotated')).at(-1)).toMatchObject({
      resource_id: record.keyId,
      changes: { key_id: [record.keyId, successor.record.keyId] },
    });
  });

  it('an expiry that comes sooner stays', async () => {
    const expiresAt = new Date(app.clock.now().getTime() + HOUR).toISOString();
    const { plain, record } = await issue(['licensing:read'], { expiresAt });
    const { data } = await app.graphql(ROTATE, { id: record.keyId });
    expect(data.rotateApiKey.record).toMatchObject({ expiresAt });
    app.clock.advance(HOUR);
    expect(await attempt(plain)).toBe('API_KEY_EXPIRED');
  });

  it('INSUFFICIENT_SCOPE: the successor of a mightier key', async () => {
    const mighty = await issue(['*']);
    const { plain } = await issue(['keys:write']);
    const { errors } = await graphqlClient(app.url, plain)(ROTATE, { id: mighty.record.keyId });
    expect(errors[0]?.extensions).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    expect(await attempt(mighty.plain)).toBe(200);
  });
});

describe('revokeApiKey', () => {
  it('from the next request on, the key is invalid; it stays in the list and leaves one entry', async () => {
    const { plain, record } = await issue(['licensing:read']);
    expect(await attempt(plain)).toBe(200);
    const { data } = await app.graphql(REVOKE, { id: record.keyId });
    expect(data.revokeApiKey.revokedAt).toBe(app.clock.now().toISOString());
    expect(await attempt(plain)).toBe('API_KEY_INVALID');
    const list = (await app.graphql(LIST)).data.apiKeys as { keyId: string; revokedAt: string | null }[];
    expect(list.find(({ keyId }) => keyId === record.keyId)?.revokedAt).not.toBeNull();
    const entries = await activityNamed(app, 'api_key.revoked');
    expect(entries.filter((entry) => entry.resource_id === record.keyId)).toHaveLength(1);
  });

  it.each([ROTATE, REVOKE])('API_KEY_NOT_FOUND: unknown, revoked and expired ones', async (operation) => {
    const revoked = await issue(['licensing:read']);
    await app.graphql(REVOKE, { id: revoked.record.keyId });
    const expiresAt = new Date(app.clock.now().getTime() + 1000).toISOString();
    const expired = await issue(['licensing:read'], { expiresAt });
    app.clock.advance(1000);
    for (const id of ['nosuchid', revoked.record.keyId, expired.record.keyId]) {
      const { errors } = await app.graphql(operation, { id });
      expect(errors[0]?.extensions).toMatchObject({ code: 'API_KEY_NOT_FOUND' });
    }
  });
});

describe('a presented key', () => {
  it.each(['nonsense', 'lsk_', `lsk_abcdefgh_${'A'.repeat(43)}`, 'x'.repeat(2000)])(
    '401 API_KEY_INVALID with WWW-Authenticate: %s',
    async (plain) => {
      const response = await restClient(app.url, plain)('GET', '/products');
      expect([response.status, response.body.code]).toEqual([401, 'API_KEY_INVALID']);
      expect(response.headers['www-authenticate']).toMatch(/^Bearer/);
    },
  );

  it('401: the id of one key with the secret of another', async () => {
    const [one, other] = [await issue(['*']), await issue(['*'])];
    expect(await attempt(one.plain.slice(0, 13) + other.plain.slice(13))).toBe('API_KEY_INVALID');
  });

  it('lastUsedAt is exact to a minute', async () => {
    const { plain, record } = await issue(['licensing:read']);
    const lastUsed = async () => {
      const list = (await app.graphql(LIST)).data.apiKeys as { keyId: string; lastUsedAt: string | null }[];
      return list.find(({ keyId }) => keyId === record.keyId)?.lastUsedAt;
    };
    expect(await lastUsed()).toBeNull();
    await attempt(plain);
    const first = app.clock.now().toISOString();
    expect(await lastUsed()).toBe(first);
    app.clock.advance(59_999);
    await attempt(plain);
    expect(await lastUsed()).toBe(first);
    app.clock.advance(1);
    await attempt(plain);
    expect(await lastUsed()).toBe(app.clock.now().toISOString());
  });
});

describe('the configured key', () => {
  it('any text works, also one that looks like a generated key; another one replaces it', async () => {
    const generated = `lsk_zzzzzzzz_${'B'.repeat(43)}`;
    for (const plain of ['a configured key of 32 characters'.replaceAll(' ', '_'), generated]) {
      await setConfiguredKey(app.orm.em.fork(), plain, app.clock.now());
      expect(await attempt(plain)).toBe(200);
    }
    expect(await attempt('a_configured_key_of_32_characters')).toBe('API_KEY_INVALID');
    const rotated = await app.graphql(ROTATE, { id: 'env' });
    expect(rotated.errors[0]?.extensions).toMatchObject({ code: 'IN_USE' });
  });

  it('once revoked, the same one stays revoked over restarts', async () => {
    const plain = 'revoked_configured_key_revoked_configured_key';
    await setConfiguredKey(app.orm.em.fork(), plain, app.clock.now());
    await app.graphql(REVOKE, { id: 'env' });
    await setConfiguredKey(app.orm.em.fork(), plain, app.clock.now());
    expect(await attempt(plain)).toBe('API_KEY_INVALID');
  });
});

describe('the first key', () => {
  it('is made once by ten that start at once, and never again', async () => {
    const fresh = await startApp();
    await fresh.sql('delete from api_key');
    const start = () => firstKey(fresh.orm.em.fork(), fresh.ctx, undefined);
    const keys = await Promise.all(Array.from({ length: 10 }, start));
    const [key, ...others] = keys.filter((each) => each !== undefined);
    expect(others).toEqual([]);
    expect((await restClient(fresh.url, key)('GET', '/products')).status).toBe(200);
    expect(await start()).toBeUndefined();
  });

  it('is not made when one is configured', async () => {
    const fresh = await startApp();
    await fresh.sql('delete from api_key');
    const configured = 'configured_configured_configured_';
    expect(await firstKey(fresh.orm.em.fork(), fresh.ctx, configured)).toBeUndefined();
    expect((await restClient(fresh.url, configured)('GET', '/products')).status).toBe(200);
    expect(await fresh.sql('select key_id from api_key')).toEqual([{ key_id: 'env' }]);
  });
});
