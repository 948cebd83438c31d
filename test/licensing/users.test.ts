import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import type { RestResponse } from '../support/rest.js';
import { recordStatements } from '../support/statements.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

const codeOf = ({ status, body }: RestResponse) => [status, body.code];

async function user(fields: object = {}): Promise<{ id: number; user_id: string }> {
  return (await app.rest('POST', '/users', fields)).body;
}

describe('POST /users', () => {
  it('201 for {}: a generated id, active, everything else null', async () => {
    const response = await app.rest('POST', '/users', {});
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      id: expect.any(Number),
      user_id: expect.stringMatching(/^usr_[a-z2-7]{20}$/),
      email: null,
      display_name: null,
      status: 'active',
      merged_into: null,
      createdAt: '2026-01-15T12:00:00.000Z',
      updatedAt: '2026-01-15T12:00:00.000Z',
    });
    expect(await activityOf(app, response)).toMatchObject([
      { event: 'user.created', resource_type: 'user', resource_id: response.body.user_id, source: 'rest' },
    ]);
  });

  it('201: every field as given; the same address may be that of several', async () => {
    const fields = { email: 'Ann@Example.com', display_name: 'Ann Ö.', status: 'banned' };
    const response = await app.rest('POST', '/users', { user_id: 'ann', ...fields });
    expect([response.status, response.body]).toMatchObject([201, { user_id: 'ann', ...fields }]);
    expect((await app.rest('POST', '/users', { email: 'ann@example.com' })).status).toBe(201);
  });

  it('201 for a record that was read, but for its id', async () => {
    const read = (await app.rest('POST', '/users', { display_name: 'Copied' })).body as object;
    const response = await app.rest('POST', '/users', { ...read, user_id: 'copy' });
    expect([response.status, response.body]).toMatchObject([
      201,
      { user_id: 'copy', display_name: 'Copied' },
    ]);
  });

  it('409 ALREADY_EXISTS: once for each of 50 who ask for the same id', async () => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => app.rest('POST', '/users', { user_id: 'contested' })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(409)]);
    const refused = responses.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({
      code: 'ALREADY_EXISTS',
      detail: 'A user "contested" exists already',
    });
  });

  it.each([
    ['email', 'nobody', 'email must be an e-mail address of at most 255 characters; got "nobody"'],
    ['email', '', 'email must be a string of 1–255 characters'],
    ['status', 'merged', 'status must be one of active, banned; got "merged"'],
    ['user_id', ' ', 'user_id must be a string of 1–255 characters'],
    ['display_name', 7, 'display_name must be a string of 1–255 characters'],
  ])('422 INVALID_FIELD: %s %j', async (field, value, detail) => {
    const response = await app.rest('POST', '/users', { [field]: value });
    expect(codeOf(response)).toEqual([422, 'INVALID_FIELD']);
    expect(response.body.errors).toEqual([
      { pointer: `/${field}`, code: 'INVALID_FIELD', detail: expect.stringContaining(detail) },
    ]);
  });

  it('422 UNKNOWN_FIELD', async () => {
    expect(codeOf(await app.rest('POST', '/users', { name: 'Ann' }))).toEqual([422, 'UNKNOWN_FIELD']);
  });
});

describe('GET /users', () => {
  it('200: all in id order; by user_id, by email whatever its case, from query or body', async () => {
    const one = await user({ email: 'Find.Me@example.com' });
    const two = await user({ email: 'find.me@EXAMPLE.com' });
    const list = async (query: string, body?: object) =>
      (await app.rest('GET', `/users${query}`, body)).body.map((found: { id: number }) => found.id);
    const all = await list('', {});
    expect(all).toEqual([...all].sort((a: number, b: number) => a - b));
    expect(all).toEqual(expect.arrayContaining([one.id, two.id]));
    expect(await list(`?user_id=${one.user_id}`)).toEqual([one.id]);
    expect(await list('', { user_id: two.user_id })).toEqual([two.id]);
    expect(await list('?email=FIND.ME@example.com')).toEqual([one.id, two.id]);
    expect(await list('', { email: 'find_me@example.com' })).toEqual([]);
    expect(await list('?user_id=nobody')).toEqual([]);
    expect(await list(`?email=find.me@example.com&user_id=${two.user_id}`)).toEqual([two.id]);
  });

  it('200 page by page with limit and cursor', async () => {
    const first = await app.rest('GET', '/users?limit=1');
    expect(first.body).toHaveLength(1);
    const [, next = ''] = /<(.*)>; rel="next"/.exec(String(first.headers['link'])) ?? [];
    const second = await app.rest('GET', next.replace(app.url, ''));
    expect(second.body[0].id).toBeGreaterThan(first.body[0].id as number);
  });

  it('400 BAD_PARAMETER: an unknown query parameter; 403 without the scope', async () => {
    expect(codeOf(await app.rest('GET', '/users?name=x'))).toEqual([400, 'BAD_PARAMETER']);
    const other = await app.restAs('bot:read');
    expect(codeOf(await other('GET', '/users'))).toEqual([403, 'INSUFFICIENT_SCOPE']);
  });
});

describe('PATCH /users', () => {
  it('200: what was sent changes, null clears, the rest stays', async () => {
    const { user_id } = await user({ email: 'a@b.c', display_name: 'A' });
    app.clock.advance(1000);
    const response = await app.rest('PATCH', '/users', { user_id, email: null, display_name: 'B' });
    expect([response.status, response.body]).toMatchObject([
      200,
      { user_id, email: null, display_name: 'B', status: 'active' },
    ]);
    expect(response.body.updatedAt > response.body.createdAt).toBe(true);
    const entries = await activityOf(app, response);
    expect(entries.map(({ event, changes }) => [event, changes])).toEqual([
      ['user.updated', { email: ['a@b.c', null], display_name: ['A', 'B'] }],
    ]);
  });

  it('200 for a record that was read and sent back: nothing changes, nothing is announced', async () => {
    const read = await user({ email: 'a@b.c' });
    app.clock.advance(1000);
    const response = await app.rest('PATCH', '/users', read);
    expect([response.status, response.body]).toEqual([200, read]);
    expect(await activityOf(app, response)).toEqual([]);
  });

  it('200 with status banned: its licenses are BANNED at once, until it is lifted', async () => {
    const { user_id } = await user();
    const { key } = await app.seed.license({ user_id });
    const verdict = async () =>
      (await app.anonymous('POST', '/licenses/validate', { license_key: key })).body;
    expect(await verdict()).toMatchObject({ valid: true });
    const response = await app.rest('PATCH', '/users', { user_id, status: 'banned', display_name: 'X' });
    const entries = await activityOf(app, response);
    expect(entries.map(({ event, changes }) => [event, changes])).toEqual([
      ['user.banned', { status: ['active', 'banned'] }],
      ['user.updated', { display_name: [null, 'X'] }],
    ]);
    expect(await verdict()).toMatchObject({ valid: false, code: 'BANNED', status: 'banned' });
    const lifted = await app.rest('PATCH', '/users', { user_id, status: 'active' });
    expect(await activityOf(app, lifted)).toMatchObject([
      { event: 'user.updated', changes: { status: ['banned', 'active'] } },
    ]);
    expect(await verdict()).toMatchObject({ valid: true });
  });

  it('404 USER_NOT_FOUND; 422 for a bad address or status', async () => {
    expect(codeOf(await app.rest('PATCH', '/users', { user_id: 'nobody' }))).toEqual([404, 'USER_NOT_FOUND']);
    const { user_id } = await user();
    expect(codeOf(await app.rest('PATCH', '/users', { user_id, email: 'x' }))).toEqual([
      422,
      'INVALID_FIELD',
    ]);
    expect(codeOf(await app.rest('PATCH', '/users', { user_id, status: 'merged' }))).toEqual([
      422,
      'INVALID_FIELD',
    ]);
    expect(codeOf(await app.rest('PATCH', '/users', {}))).toEqual([422, 'INVALID_FIELD']);
  });
});

describe('DELETE /users', () => {
  it('200: with its identities, and nothing of it is left', async () => {
    const { id, user_id } = await user();
    await app.rest('POST', '/identities', { user_id, provider: 'discord', provider_id: 'gone' });
    const response = await app.rest('DELETE', '/users', { user_id });
    expect([response.status, response.body]).toEqual([200, { deleted: true }]);
    const entries = await activityOf(app, response);
    expect(entries.map(({ event, resource_id }) => [event, resource_id])).toEqual([
      ['identity.unlinked', 'discord:gone'],
      ['user.deleted', user_id],
    ]);
    expect(await app.sql('select from identity where user_id = $1', [id])).toEqual([]);
    expect((await app.rest('GET', `/users?user_id=${user_id}`)).body).toEqual([]);
  });

  it('409 IN_USE with licenses; 200 with force unlinks and suspends them', async () => {
    const { user_id } = await user();
    const active = await app.seed.license({ user_id });
    const revoked = await app.seed.license({ user_id, status: 'revoked' });
    const refused = await app.rest('DELETE', '/users', { user_id });
    expect(codeOf(refused)).toEqual([409, 'IN_USE']);
    expect(refused.body.detail).toBe(
      `2 licenses refer to the user "${user_id}"; "force": true unlinks and suspends them`,
    );
    const response = await app.rest('DELETE', '/users', { user_id, force: true });
    expect(response.status).toBe(200);
    const licenses = (await app.rest('GET', '/licenses')).body as { key: string }[];
    const after = [active, revoked].map(({ key }) => licenses.find((license) => license.key === key));
    expect(after).toMatchObject([
      { user_id: null, status: 'suspended' },
      { user_id: null, status: 'revoked' },
    ]);
    const entries = await activityOf(app, response);
    expect(entries.map(({ event, changes }) => [event, changes])).toEqual([
      ['license.suspended', { user_id: [user_id, null], status: ['active', 'suspended'] }],
      ['license.updated', { user_id: [user_id, null] }],
      ['user.deleted', null],
    ]);
  });

  it('404 USER_NOT_FOUND', async () => {
    const response = await app.rest('DELETE', '/users', { user_id: 'nobody' });
    expect(codeOf(response)).toEqual([404, 'USER_NOT_FOUND']);
  });
});

describe('user_id of a license', () => {
  it('POST and PATCH /licenses link, GET shows, null unlinks, each in the log', async () => {
    const { user_id } = await user();
    const { key, ...created } = await app.seed.license({ user_id });
    expect(created).toMatchObject({ user_id });
    const response = await app.rest('PATCH', '/licenses', { key, user_id: null });
    expect([response.status, response.body.user_id]).toEqual([200, null]);
    expect(await activityOf(app, response)).toMatchObject([
      { event: 'license.updated', changes: { user_id: [user_id, null] } },
    ]);
    const again = await app.rest('PATCH', '/licenses', { key, user_id });
    expect(again.body.user_id).toBe(user_id);
    const other = await app.rest('PATCH', '/licenses', { key, note: 'only this' });
    expect(other.body).toMatchObject({ user_id, note: 'only this' });
  });

  it('422 INVALID_FIELD: a user nobody knows', async () => {
    const response = await app.rest('POST', '/licenses', { user_id: 'nobody' });
    expect(codeOf(response)).toEqual([422, 'INVALID_FIELD']);
    expect(response.body.errors).toEqual([
      { pointer: '/user_id', code: 'INVALID_FIELD', detail: 'user_id names no existing user: "nobody"' },
    ]);
  });
});

describe('GraphQL', () => {
  it('users: filters and order, each with identities and licenses in a constant number of statements', async () => {
    const seedUsers = async (tag: string, count: number) => {
      for (let index = 0; index < count; index++) {
        const { user_id } = await user({ email: `${index}@${tag}_%.example` });
        await app.rest('POST', '/identities', { user_id, provider: tag, provider_id: String(index) });
        for (let license = 0; license < 3; license++) await app.seed.license({ user_id });
      }
    };
    await seedUsers('few', 2);
    await seedUsers('many', 12);
    const query = (tag: string) => () =>
      app.graphql(
        `query ($filter: UserFilter) { users(first: 100, filter: $filter, orderBy: {field: createdAt, direction: desc}) {
           totalCount nodes { userId mergedIntoUserId identities { providerId userId }
             licenses(first: 2) { key user { userId } } } } }`,
        { filter: { provider: tag, emailContains: `@${tag.toUpperCase()}_%.`, status: 'active' } },
      );
    const found = await query('few')();
    expect(found.errors).toEqual([]);
    expect(found.data.users.totalCount).toBe(2);
    for (const node of found.data.users.nodes) {
      expect(node.identities).toMatchObject([{ userId: node.userId }]);
      expect(node.licenses).toMatchObject([
        { user: { userId: node.userId } },
        { user: { userId: node.userId } },
      ]);
    }
    const statements = await recordStatements(app.orm);
    // The request log and the like are written beside it, when it suits them.
    const reads = async (tag: string) =>
      (await statements.during(query(tag))).filter((text) => /"?(app_user|identity|license)"? /.test(text))
        .length;
    // Which of two loaders comes first decides whether they share a statement; twelve users cost no more than two.
    for (const tag of ['few', 'many']) expect(await reads(tag)).toBeLessThanOrEqual(8);
  });

  it('licenses(filter: {user}), user(userId), first out of range', async () => {
    const { user_id: userId } = await user();
    const { key } = await app.seed.license({ user_id: userId });
    const found = await app.graphql(
      `query ($userId: String!) { licenses(filter: {user: $userId}) { nodes { key } } user(userId: $userId) { status } }`,
      { userId },
    );
    expect(found.data).toEqual({ licenses: { nodes: [{ key }] }, user: { status: 'active' } });
    const none = await app.graphql(`{ licenses(filter: {user: "nobody"}) { nodes { key } } }`);
    expect(none.data).toEqual({ licenses: { nodes: [] } });
    const unknown = await app.graphql(`{ user(userId: "nobody") { id } }`);
    expect(unknown.errors[0]?.extensions).toMatchObject({ code: 'USER_NOT_FOUND' });
    const tooMany = await app.graphql(`{ users { nodes { licenses(first: 0) { id } } } }`);
    expect(tooMany.errors[0]?.extensions).toMatchObject({ code: 'INVALID_FIELD' });
  });
});
