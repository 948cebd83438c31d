import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

describe('GET /users/licenses', () => {
  it('200: by user_id, by identity, by email of several users, all in id order', async () => {
    const users = ['one', 'two'];
    for (const user_id of users) await app.rest('POST', '/users', { user_id, email: 'Shared@Example.com' });
    await app.rest('POST', '/identities', { user_id: 'two', provider: 'discord', provider_id: '2' });
    const keys: string[] = [];
    for (const user_id of ['one', 'two', 'one']) keys.push((await app.seed.license({ user_id })).key);
    const get = async (query: string) => {
      const { status, body } = await app.rest('GET', `/users/licenses?${query}`);
      return [status, body.map((license: { key: string }) => license.key)];
    };
    expect(await get('user_id=one')).toEqual([200, [keys[0], keys[2]]]);
    expect(await get('provider=discord&provider_id=2')).toEqual([200, [keys[1]]]);
    expect(await get('email=shared@example.COM')).toEqual([200, keys]);
    expect(await get('email=shared@example.com&limit=2')).toEqual([200, keys.slice(0, 2)]);
    const { body } = await app.rest('GET', '/users/licenses?user_id=two');
    expect(body).toEqual([
      (await app.rest('GET', '/licenses')).body.find((license: { key: string }) => license.key === keys[1]),
    ]);
  });

  it('200: an empty array for a user without licenses', async () => {
    await app.rest('POST', '/users', { user_id: 'bare' });
    const response = await app.rest('GET', '/users/licenses?user_id=bare');
    expect([response.status, response.body]).toEqual([200, []]);
  });

  it.each(['', '?provider=discord', '?provider_id=1', '?user_id=one&email=a@b.c', '?limit=5'])(
    '400 BAD_PARAMETER: "%s"',
    async (query) => {
      const { status, body } = await app.rest('GET', `/users/licenses${query}`);
      expect([status, body.code, body.detail]).toEqual([
        400,
        'BAD_PARAMETER',
        'Send either user_id, or provider together with provider_id, or email',
      ]);
    },
  );

  it.each([
    ['user_id=nobody', 'nobody'],
    ['provider=discord&provider_id=none', 'discord:none'],
    ['email=no@body.example', 'no@body.example'],
  ])('404 USER_NOT_FOUND: %s', async (query, name) => {
    const { status, body } = await app.rest('GET', `/users/licenses?${query}`);
    expect([status, body.code, body.detail]).toEqual([404, 'USER_NOT_FOUND', `There is no user "${name}"`]);
  });
});

describe('POST /users/link', () => {
  it('200: creates the user and its identity once, and finds it from then on', async () => {
    const request = {
      provider: 'discord',
      provider_id: '80351110224678912',
      email: 'nelly@example.com',
      display_name: 'Nelly',
      metadata: { username: 'nelly' },
    };
    const first = await app.rest('POST', '/users/link', request);
    expect([first.status, first.body]).toMatchObject([
      200,
      { user_id: expect.stringMatching(/^usr_/), email: 'nelly@example.com', display_name: 'Nelly' },
    ]);
    const again = await app.rest('POST', '/users/link', { ...request, display_name: 'Other', metadata: {} });
    expect([again.status, again.body]).toEqual([200, first.body]);
    const { body } = await app.rest('GET', `/identities?user_id=${first.body.user_id}`);
    expect(body).toMatchObject([{ provider_id: request.provider_id, metadata: { username: 'nelly' } }]);
  });

  it('200 for 50 at once who link the same identity: one user, one identity, one event of each', async () => {
    const before = await app.sql<{ count: string }>('select count(*) from app_user');
    const responses = await Promise.all(
      Array.from({ length: 50 }, () =>
        app.rest('POST', '/users/link', { provider: 'github', provider_id: 'race' }),
      ),
    );
    expect(new Set(responses.map(({ status, body }) => `${status} ${body.user_id}`)).size).toBe(1);
    expect(responses[0]?.status).toBe(200);
    const after = await app.sql<{ count: string }>('select count(*) from app_user');
    expect(Number(after[0]?.count) - Number(before[0]?.count)).toBe(1);
    expect(await app.sql("select from identity where provider_id = 'race'")).toHaveLength(1);
    const events = await app.sql<{ event: string }>(
      'select event from activity where resource_id in ($1, $2) order by id',
      ['github:race', responses[0]?.body.user_id],
    );
    expect(events.map(({ event }) => event)).toEqual(['user.created', 'identity.linked']);
  });

  it('200 or 409 when links and creations of one identity meet, and it is one identity', async () => {
    await app.rest('POST', '/users', { user_id: 'rival' });
    for (let round = 0; round < 10; round++) {
      const identity = { provider: 'meet', provider_id: String(round) };
      const [link, creation] = await Promise.all([
        app.rest('POST', '/users/link', identity),
        app.rest('POST', '/identities', { ...identity, user_id: 'rival' }),
      ]);
      expect(link.status).toBe(200);
      const { body } = await app.rest('GET', `/identities?provider=meet&provider_id=${round}`);
      expect(body).toMatchObject([{ user_id: link.body.user_id }]);
      expect(creation.status).toBe(link.body.user_id === 'rival' ? 201 : 409);
    }
  });

  it('422 INVALID_FIELD: no provider_id, a bad address, metadata beyond 16 KiB, also for a known identity', async () => {
    const identity = { provider: 'discord', provider_id: 'checked' };
    const bad = [
      { provider: 'discord' },
      { ...identity, email: 'x' },
      { ...identity, metadata: { text: 'x'.repeat(16 * 1024) } },
    ];
    const codes = async () =>
      Promise.all(bad.map(async (body) => (await app.rest('POST', '/users/link', body)).status));
    expect(await codes()).toEqual([422, 422, 422]);
    await app.rest('POST', '/users/link', identity);
    expect(await codes()).toEqual([422, 422, 422]);
  });
});
