import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf, activityText } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { graphqlClient } from '../support/graphql.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

const PATH = '/variables/user';
/** Every documented request, by a holder: no API key. */
const requests = [
  [
    'GET',
    (license_key: string) =>
      app.anonymous('GET', `${PATH}?${new URLSearchParams({ license_key }).toString()}`),
  ],
  ['POST', (license_key: string) => app.anonymous('POST', PATH, { license_key, key: 'new', value: 1 })],
  ['PATCH', (license_key: string) => app.anonymous('PATCH', PATH, { license_key, key: 'old', value: 2 })],
  ['DELETE', (license_key: string) => app.anonymous('DELETE', PATH, { license_key, key: 'old' })],
] as const;

const read = async (license_key: string) =>
  (await app.anonymous('GET', `${PATH}?${new URLSearchParams({ license_key }).toString()}`)).body as {
    owner: string;
    key: string;
    value: unknown;
  }[];

async function seedHolder(fields: Record<string, unknown> = {}) {
  const { key } = await app.seed.license();
  await app.anonymous('POST', PATH, { license_key: key, key: 'old', value: 1 });
  if (Object.keys(fields).length > 0) await app.rest('PATCH', '/licenses', { key, ...fields });
  return key;
}

describe.each(requests)('%s /variables/user', (method, send) => {
  it('2xx without an API key; the entry names the license, by its last characters', async () => {
    const key = await seedHolder();
    const response = await send(key);
    expect(response.status).toBe(method === 'GET' ? 200 : 204);
    if (method === 'GET') return;
    const masked = `…${key.slice(-6)}`;
    expect(await activityOf(app, response)).toMatchObject([
      { actor: `license:${masked}`, source: 'rest', resource_id: expect.stringContaining(`user/${masked}/`) },
    ]);
    expect(await activityText(app)).not.toContain(key);
  });

  it('2xx with a key as people type it', async () => {
    const key = await seedHolder();
    expect((await send(key.toLowerCase().replaceAll('-', ''))).status).toBeLessThan(300);
  });

  it.each(['Nothing', '', ' ', 'a\u0000b', '\ud800', '../..', '%'])(
    '404 LICENSE_NOT_FOUND: %j',
    async (key) => {
      const response = await send(key);
      expect([response.status, response.body.code]).toEqual([404, 'LICENSE_NOT_FOUND']);
    },
  );

  it.each([
    ['SUSPENDED', { status: 'suspended' }],
    ['REVOKED', { status: 'revoked' }],
    ['EXPIRED', { expires_at: '2026-01-15T12:00:00.000Z' }],
  ])('403 %s, and nothing changes', async (code, fields) => {
    const key = await seedHolder(fields);
    const response = await send(key);
    expect([response.status, response.body.code]).toEqual([403, code]);
    expect(response.text).not.toContain(key);
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('403 BANNED: the license’s user', async () => {
    const key = await seedHolder();
    const { body } = await app.rest('POST', '/users', {});
    await app.rest('PATCH', '/licenses', { key, user_id: body.user_id });
    await app.rest('PATCH', '/users', { user_id: body.user_id, status: 'banned' });
    const response = await send(key);
    expect([response.status, response.body.code]).toEqual([403, 'BANNED']);
  });
});

describe('/variables/user', () => {
  it('422 without license_key in the body', async () => {
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const response = await app.anonymous(method, PATH, { key: 'a', value: 1 });
      expect([response.status, response.body.errors]).toMatchObject([422, [{ pointer: '/license_key' }]]);
    }
  });

  it('400 without license_key in the query', async () => {
    const response = await app.anonymous('GET', PATH);
    expect([response.status, response.body.code]).toEqual([400, 'BAD_PARAMETER']);
  });

  it('ignores unknown members', async () => {
    const license_key = await seedHolder();
    const extra = { colour: 'red', scope: 'global', owner: 'x' };
    const posted = await app.anonymous('POST', PATH, { license_key, key: 'a', value: 1, ...extra });
    expect(posted.status).toBe(204);
    const got = await app.anonymous(
      'GET',
      `${PATH}?${new URLSearchParams({ license_key, ...extra }).toString()}`,
    );
    expect(got.body).toMatchObject([{ key: 'old' }, { key: 'a' }]);
  });

  it('never shows or touches what is not the license’s own', async () => {
    const [mine, yours] = [await seedHolder(), await seedHolder()];
    await app.rest('POST', '/licenses/variables', { license: mine, key: 'secret', value: 1 });
    await app.rest('POST', '/variables', { name: 'secret', value: 1 });
    await app.anonymous('PATCH', PATH, { license_key: yours, key: 'old', value: 'yours' });
    expect(await read(mine)).toEqual([{ scope: 'user', owner: mine, key: 'old', value: 1 }]);
    for (const method of ['PATCH', 'DELETE']) {
      const response = await app.anonymous(method, PATH, { license_key: mine, key: 'secret', value: 2 });
      expect([response.status, response.body.code]).toEqual([404, 'VARIABLE_NOT_FOUND']);
    }
    await app.anonymous('DELETE', PATH, { license_key: mine, key: 'old' });
    expect(await read(yours)).toMatchObject([{ key: 'old', value: 'yours' }]);
  });

  it('an unknown key answers alike, whatever other licenses have', async () => {
    const responses = await Promise.all(requests.map(([, send]) => send('AAAAA-AAAAA-AAAAA-AAAAA-AAAAA')));
    expect(new Set(responses.map(({ body }) => body.detail as string)).size).toBe(1);
  });

  it('409 LIMIT_REACHED: exactly 100 keys, however many come at once', async () => {
    const { key: license_key } = await app.seed.license();
    const post = (key: string) => app.anonymous('POST', PATH, { license_key, key, value: 1 });
    const responses = await Promise.all(Array.from({ length: 130 }, (_, n) => post(`key-${n}`)));
    expect(responses.filter(({ status }) => status === 204)).toHaveLength(100);
    const refused = responses.filter(({ status }) => status !== 204);
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.code as string}`))).toEqual(
      new Set(['409 LIMIT_REACHED']),
    );
    const kept = await read(license_key);
    expect(kept).toHaveLength(100);
    // A key that is there says so, and not that there is no room.
    const again = await post(kept[0]?.key ?? '');
    expect([again.status, again.body.code]).toEqual([409, 'ALREADY_EXISTS']);
    await app.anonymous('DELETE', PATH, { license_key, key: kept[0]?.key });
    expect((await post('one-more')).status).toBe(204);
    // The limit holds for administrators too; other scopes have none.
    const SET = `mutation ($input: VariableInput!) { setVariable(input: $input) { created } }`;
    const input = { owner: license_key, key: 'admin', value: 1 };
    const full = await app.graphql(SET, { input: { ...input, scope: 'user' } });
    expect(full.errors[0]?.extensions).toMatchObject({ code: 'LIMIT_REACHED' });
    expect((await app.graphql(SET, { input: { ...input, scope: 'license' } })).errors).toEqual([]);
  });

  it('GraphQL does the same by license key, and shows nothing else', async () => {
    const licenseKey = await seedHolder();
    const anyone = graphqlClient(app.url, undefined);
    const { data } = await anyone(
      `mutation ($licenseKey: Presented!) {
        createUserVariable(licenseKey: $licenseKey, input: { key: "a", value: { b: 1 } }) { scope owner key value } }`,
      { licenseKey },
    );
    expect(data.createUserVariable).toEqual({ scope: 'user', owner: licenseKey, key: 'a', value: { b: 1 } });
    const list = await anyone(
      'query ($licenseKey: Presented!) { userVariables(licenseKey: $licenseKey) { totalCount nodes { key } } }',
      { licenseKey },
    );
    expect(list.data.userVariables).toEqual({ totalCount: 2, nodes: [{ key: 'old' }, { key: 'a' }] });
    const all = await anyone('{ variables { totalCount } }');
    expect(all.errors[0]?.extensions).toMatchObject({ code: 'API_KEY_MISSING' });
  });
});
