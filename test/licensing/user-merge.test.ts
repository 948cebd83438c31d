import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';

let app: TestApp;
let count = 0;
/** Hundreds of requests, on a machine that may be doing something else. */
const RACE_LIMIT_MS = 120_000;

beforeAll(async () => {
  app = await startApp();
});

async function user(fields: object = {}): Promise<string> {
  return (await app.rest('POST', '/users', { user_id: `u${(count += 1)}`, ...fields })).body.user_id;
}

/** A user with an identity and a license that has a session. */
async function equippedUser(): Promise<{ userId: string; key: string; token: string }> {
  const userId = await user();
  await app.rest('POST', '/identities', { user_id: userId, provider: 'discord', provider_id: userId });
  const { key } = await app.seed.license({ user_id: userId });
  const { body } = await app.anonymous('POST', '/licenses/validate', { license_key: key });
  return { userId, key, token: body.session.token };
}

const merge = (from: string, to: string) => app.rest('POST', '/users/merge', { from, to });

/** What must never be: a license or identity of a tombstone, a tombstone that leads to a tombstone. */
async function orphans() {
  return app.sql(`
    select 'license' as kind, l.id from license l join app_user u on u.id = l.user_id where u.status = 'merged'
    union all select 'identity', i.id from identity i join app_user u on u.id = i.user_id where u.status = 'merged'
    union all select 'chain', u.id from app_user u join app_user t on t.id = u.merged_into where t.status = 'merged'`);
}

describe('POST /users/merge', () => {
  it('200: licenses with their sessions and identities move, the old id reaches the new user everywhere', async () => {
    const from = await equippedUser();
    const to = await equippedUser();
    const response = await merge(from.userId, to.userId);
    expect([response.status, response.body]).toEqual([
      200,
      { merged: true, from: from.userId, to: to.userId },
    ]);
    const entries = await activityOf(app, response);
    const moved = { user_id: [from.userId, to.userId] };
    expect(entries.map(({ event, resource_id, changes }) => [event, resource_id, changes])).toEqual([
      ['license.updated', `…${from.key.slice(-6)}`, moved],
      ['identity.linked', `discord:${from.userId}`, moved],
      ['user.merged', from.userId, { status: ['active', 'merged'], merged_into: [null, to.userId] }],
    ]);
    const reached = (await app.rest('GET', `/users?user_id=${from.userId}`)).body;
    expect(reached).toMatchObject([{ user_id: to.userId, status: 'active', merged_into: null }]);
    const licenses = (await app.rest('GET', `/users/licenses?user_id=${from.userId}`)).body;
    expect(licenses).toMatchObject([
      { key: from.key, user_id: to.userId },
      { key: to.key, user_id: to.userId },
    ]);
    const identities = (await app.rest('GET', `/identities?user_id=${from.userId}`)).body;
    expect(identities.map((identity: { user_id: string }) => identity.user_id)).toEqual([
      to.userId,
      to.userId,
    ]);
    const changed = await app.rest('PATCH', '/users', { user_id: from.userId, display_name: 'Both' });
    expect(changed.body).toMatchObject({ user_id: to.userId, display_name: 'Both' });
    expect(await app.seed.license({ user_id: from.userId })).toMatchObject({ user_id: to.userId });
    const later = { user_id: from.userId, provider: 'later', provider_id: from.userId };
    expect((await app.rest('POST', '/identities', later)).body).toMatchObject({ user_id: to.userId });
    const linked = { provider: 'discord', provider_id: from.userId };
    expect((await app.rest('POST', '/users/link', linked)).body).toMatchObject({ user_id: to.userId });
    const all = (await app.rest('GET', '/users')).body;
    expect(all.find((one: { user_id: string }) => one.user_id === from.userId)).toMatchObject({
      status: 'merged',
      merged_into: to.userId,
    });
    const session = await app.sql('select from session where token = $1', [from.token]);
    expect(session).toHaveLength(1);
    expect(await orphans()).toEqual([]);
  });

  it('200 for A→B and then B→C: A reaches C, and so does what is merged into A or B', async () => {
    const [a, b, c] = [await equippedUser(), await equippedUser(), await equippedUser()];
    await merge(a.userId, b.userId);
    await merge(b.userId, c.userId);
    const reached = (await app.rest('GET', `/users?user_id=${a.userId}`)).body;
    expect(reached).toMatchObject([{ user_id: c.userId }]);
    const d = await equippedUser();
    const response = await merge(d.userId, a.userId);
    expect(response.body).toEqual({ merged: true, from: d.userId, to: c.userId });
    const licenses = (await app.rest('GET', `/users/licenses?user_id=${b.userId}`)).body;
    expect(licenses.map(({ key }: { key: string }) => key)).toEqual([a.key, b.key, c.key, d.key]);
    expect(await orphans()).toEqual([]);
  });

  it("200 of a banned user: the ban survives, and the other's licenses are BANNED too", async () => {
    const from = await equippedUser();
    const to = await equippedUser();
    await app.rest('PATCH', '/users', { user_id: from.userId, status: 'banned' });
    const response = await merge(from.userId, to.userId);
    expect(await activityOf(app, response)).toContainEqual(
      expect.objectContaining({
        event: 'user.banned',
        resource_id: to.userId,
        changes: { status: ['active', 'banned'] },
      }),
    );
    const verdict = await app.anonymous('POST', '/licenses/validate', { license_key: to.key });
    expect(verdict.body).toMatchObject({ valid: false, code: 'BANNED' });
  });

  it('422 INVALID_FIELD: into itself, or once both are the same', async () => {
    const [a, b] = [await user(), await user()];
    const itself = await merge(a, a);
    expect([itself.status, itself.body.code, itself.body.detail]).toEqual([
      422,
      'INVALID_FIELD',
      `to must be another user than from; both are "${a}"`,
    ]);
    expect((await merge(a, b)).status).toBe(200);
    expect((await merge(a, b)).status).toBe(422);
    expect((await merge(b, a)).status).toBe(422);
  });

  it('404 USER_NOT_FOUND: either is missing', async () => {
    const known = await user();
    for (const [from, to] of [
      ['nobody', known],
      [known, 'nobody'],
    ] as const) {
      const { status, body } = await merge(from, to);
      expect([status, body.code, body.detail]).toEqual([404, 'USER_NOT_FOUND', 'There is no user "nobody"']);
    }
  });

  it('DELETE /users of the new user takes the tombstones along; of the old id, only its tombstone', async () => {
    const [a, b, c] = [await user(), await user(), await user()];
    await merge(a, c);
    await merge(b, c);
    expect((await app.rest('DELETE', '/users', { user_id: a })).status).toBe(200);
    expect((await app.rest('GET', `/users?user_id=${b}`)).body).toMatchObject([{ user_id: c }]);
    const response = await app.rest('DELETE', '/users', { user_id: c });
    const entries = await activityOf(app, response);
    expect(entries.map(({ event, resource_id }) => [event, resource_id])).toEqual([
      ['user.deleted', b],
      ['user.deleted', c],
    ]);
    expect(await app.sql('select from app_user where user_id = any($1)', [[a, b, c]])).toEqual([]);
  });

  it(
    'A→B and B→A at once, 20 times: exactly one merges, nothing is lost',
    async () => {
      for (let round = 0; round < 20; round++) {
        const [a, b] = await Promise.all([equippedUser(), equippedUser()]);
        const responses = await Promise.all([merge(a.userId, b.userId), merge(b.userId, a.userId)]);
        expect(responses.map(({ status }) => status).sort()).toEqual([200, 422]);
        const reached = await app.sql(
          'select distinct coalesce(merged_into, id) from app_user where user_id = any($1)',
          [[a.userId, b.userId]],
        );
        expect(reached).toHaveLength(1);
        const licenses = (await app.rest('GET', `/users/licenses?user_id=${a.userId}`)).body;
        expect(licenses.map(({ key }: { key: string }) => key).sort()).toEqual([a.key, b.key].sort());
      }
      expect(await orphans()).toEqual([]);
    },
    RACE_LIMIT_MS,
  );

  it(
    'a ring of merges and merges into one, all at once: one user remains, with everything',
    async () => {
      const users = await Promise.all(Array.from({ length: 6 }, equippedUser));
      const ids = users.map(({ userId }) => userId);
      const ring = ids.map((from, index) => merge(from, ids[(index + 1) % ids.length] ?? from));
      const statuses = (await Promise.all(ring)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(5);
      expect(statuses.filter((status) => status === 422)).toHaveLength(1);
      const licenses = (await app.rest('GET', `/users/licenses?user_id=${ids[0] ?? ''}`)).body;
      expect(licenses).toHaveLength(6);
      expect(await orphans()).toEqual([]);
    },
    RACE_LIMIT_MS,
  );

  it(
    'while its licenses are validated, changed and given out: nothing is lost, nothing is left behind',
    async () => {
      const users = await Promise.all(Array.from({ length: 5 }, equippedUser));
      const target = await user();
      let isMerging = true;
      const created: string[] = [];
      const loops = users.map(async ({ userId, key }, index) => {
        let round = 0;
        do {
          round += 1;
          const verdict = await app.anonymous('POST', '/licenses/validate', { license_key: key });
          expect(verdict.body).toMatchObject({ valid: true });
          const license = await app.rest('POST', '/licenses', { user_id: userId });
          expect(license.status).toBe(201);
          created.push(license.body.key as string);
          const changed = await app.rest('PATCH', '/licenses', { key, user_id: userId, note: `${round}` });
          expect(changed.status).toBe(200);
          const identity = { user_id: userId, provider: `loop${index}`, provider_id: `${userId}-${round}` };
          expect((await app.rest('POST', '/identities', identity)).status).toBe(201);
        } while (isMerging);
        return round;
      });
      const merges = users.map(({ userId }) => merge(userId, target));
      expect((await Promise.all(merges)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      isMerging = false;
      const rounds = (await Promise.all(loops)).reduce((sum, each) => sum + each, 0);
      expect(await orphans()).toEqual([]);
      const licenses = (await app.rest('GET', `/users/licenses?user_id=${target}`)).body;
      const keys = licenses.map(({ key }: { key: string }) => key).sort();
      expect(keys).toEqual([...users.map(({ key }) => key), ...created].sort());
      const identities = (await app.rest('GET', `/identities?user_id=${target}`)).body;
      expect(identities).toHaveLength(users.length + rounds);
      const sessions = await app.sql('select from session where token = any($1)', [
        users.map(({ token }) => token),
      ]);
      expect(sessions).toHaveLength(users.length);
    },
    RACE_LIMIT_MS,
  );

  it('GraphQL: linkUser, mergeUsers, mergedInto', async () => {
    const link = (providerId: string) =>
      app.graphql(`mutation ($input: LinkUserInput!) { linkUser(input: $input) { userId } }`, {
        input: { provider: 'gql', providerId },
      });
    const from = (await link('1')).data.linkUser.userId;
    const to = (await link('2')).data.linkUser.userId;
    const merged = await app.graphql(
      `mutation ($from: String!, $to: String!) { mergeUsers(from: $from, to: $to) { merged from to } }`,
      { from, to },
    );
    expect(merged.data).toEqual({ mergeUsers: { merged: true, from, to } });
    const tombstones = await app.graphql(
      `{ users(first: 500, filter: {status: merged}) { nodes { userId mergedInto { userId } } } }`,
    );
    expect(tombstones.data.users.nodes).toContainEqual({ userId: from, mergedInto: { userId: to } });
  });
});
