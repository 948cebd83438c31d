import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { recordStatements } from '../support/statements.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  for (const user_id of ['ann', 'bob']) await app.rest('POST', '/users', { user_id });
});

describe('POST /identities', () => {
  it('201: the identity', async () => {
    const metadata = { username: 'ann', nested: { constructor: 1 }, list: [1, null] };
    const response = await app.rest('POST', '/identities', {
      user_id: 'ann',
      provider: 'discord',
      provider_id: '1',
      metadata,
    });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      id: expect.any(Number),
      user_id: 'ann',
      provider: 'discord',
      provider_id: '1',
      metadata,
      createdAt: '2026-01-15T12:00:00.000Z',
      updatedAt: '2026-01-15T12:00:00.000Z',
    });
    expect(await activityOf(app, response)).toMatchObject([
      { event: 'identity.linked', resource_id: 'discord:1', changes: { user_id: [null, 'ann'] } },
    ]);
  });

  it('201 without metadata: an empty object', async () => {
    const identity = { user_id: 'ann', provider: 'bare', provider_id: '1' };
    expect((await app.rest('POST', '/identities', identity)).body).toMatchObject({
      ...identity,
      metadata: {},
    });
  });

  it('201: members named __proto__ and constructor are data like any other', async () => {
    const raw =
      '{"user_id":"ann","provider":"proto","provider_id":"1","metadata":{"__proto__":{"a":1},"constructor":2}}';
    const headers = { 'content-type': 'application/json' };
    const response = await app.rest('POST', '/identities', undefined, { raw, headers });
    expect(response.status).toBe(201);
    const [stored] = await app.sql<{ text: string }>(
      "select metadata::text as text from identity where provider = 'proto'",
    );
    expect(JSON.parse(stored?.text ?? '')).toEqual(JSON.parse('{"__proto__":{"a":1},"constructor":2}'));
    expect(response.text).toContain('"__proto__":{"a":1}');
  });

  it('409 ALREADY_EXISTS: whoever has it', async () => {
    const identity = { provider: 'taken', provider_id: '1' };
    await app.rest('POST', '/identities', { user_id: 'ann', ...identity });
    for (const user_id of ['ann', 'bob']) {
      const { status, body } = await app.rest('POST', '/identities', { user_id, ...identity });
      expect([status, body.code, body.detail]).toEqual([
        409,
        'ALREADY_EXISTS',
        'An identity "taken:1" exists already',
      ]);
    }
  });

  it('201 once and 409 for all others when 30 ask for the same identity at once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        app.rest('POST', '/identities', {
          user_id: index % 2 ? 'ann' : 'bob',
          provider: 'race',
          provider_id: '1',
        }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(29).fill(409)]);
  });

  it('422 INVALID_FIELD: an unknown user, named', async () => {
    const response = await app.rest('POST', '/identities', {
      user_id: 'nobody',
      provider: 'discord',
      provider_id: '2',
    });
    expect([response.status, response.body.errors]).toEqual([
      422,
      [{ pointer: '/user_id', code: 'INVALID_FIELD', detail: 'user_id names no existing user: "nobody"' }],
    ]);
  });

  it('metadata: 201 with 16 384 bytes, 422 with one more, and for what is no object', async () => {
    const identity = (provider_id: string, metadata: unknown) =>
      app.rest('POST', '/identities', { user_id: 'ann', provider: 'size', provider_id, metadata });
    const frame = JSON.stringify({ t: '' }).length;
    expect((await identity('1', { t: 'x'.repeat(16_384 - frame) })).status).toBe(201);
    const tooMuch = await identity('2', { t: 'x'.repeat(16_385 - frame) });
    expect(tooMuch.body).toMatchObject({
      status: 422,
      detail: 'metadata must be at most 16384 bytes of JSON; got 16385',
      errors: [{ pointer: '/metadata' }],
    });
    for (const bad of [[], 'text', 7]) expect((await identity('3', bad)).status).toBe(422);
  });
});

describe('GET /identities', () => {
  it('200: filters from the query, or the body, and the query wins', async () => {
    await app.rest('POST', '/users', { user_id: 'cid' });
    for (const [provider, provider_id] of [
      ['discord', 'c1'],
      ['github', 'c1'],
      ['github', 'c2'],
    ])
      await app.rest('POST', '/identities', { user_id: 'cid', provider, provider_id });
    const list = async (query: string, body?: object) =>
      (await app.rest('GET', `/identities${query}`, body)).body.map(
        (found: { provider: string; provider_id: string }) => `${found.provider}:${found.provider_id}`,
      );
    expect(await list('?user_id=cid')).toEqual(['discord:c1', 'github:c1', 'github:c2']);
    expect(await list('', { user_id: 'cid', provider: 'github' })).toEqual(['github:c1', 'github:c2']);
    expect(await list('?provider_id=c1')).toEqual(['discord:c1', 'github:c1']);
    expect(await list('?provider=discord&provider_id=c1', { provider: 'github' })).toEqual(['discord:c1']);
    expect(await list('?user_id=nobody')).toEqual([]);
    expect(await list('?user_id=cid&limit=1')).toEqual(['discord:c1']);
    expect((await list('', {})).length).toBeGreaterThanOrEqual(3);
  });

  it('200 in as many statements for one identity as for many', async () => {
    const statements = await recordStatements(app.orm);
    const one = await statements.during(() => app.rest('GET', '/identities?provider=discord&provider_id=c1'));
    const all = await statements.during(() => app.rest('GET', '/identities'));
    // The request log and the like are written beside it, when it suits them.
    const reads = (texts: string[]) =>
      texts.filter((text) => /^select .* from "?(identity|app_user)/s.test(text));
    expect(reads(one)).toHaveLength(2);
    expect(reads(all)).toHaveLength(2);
  });
});

describe('DELETE /identities', () => {
  it('200: its user stays; 404 IDENTITY_NOT_FOUND from then on', async () => {
    const identity = { provider: 'temporary', provider_id: '1' };
    await app.rest('POST', '/identities', { user_id: 'bob', ...identity });
    const response = await app.rest('DELETE', '/identities', identity);
    expect([response.status, response.body]).toEqual([200, { deleted: true }]);
    expect(await activityOf(app, response)).toMatchObject([
      { event: 'identity.unlinked', resource_id: 'temporary:1', changes: { user_id: ['bob', null] } },
    ]);
    expect((await app.rest('GET', '/users?user_id=bob')).body).toHaveLength(1);
    const again = await app.rest('DELETE', '/identities', identity);
    expect([again.status, again.body.code]).toEqual([404, 'IDENTITY_NOT_FOUND']);
  });

  it('422 without a provider_id', async () => {
    expect((await app.rest('DELETE', '/identities', { provider: 'discord' })).status).toBe(422);
  });
});

describe('GraphQL', () => {
  it('createIdentity, identities, deleteIdentity', async () => {
    const made = await app.graphql(
      `mutation { createIdentity(input: {userId: "ann", provider: "gql", providerId: "1", metadata: {a: 1}}) {
         userId metadata user { userId } } }`,
    );
    expect(made.data).toEqual({
      createIdentity: { userId: 'ann', metadata: { a: 1 }, user: { userId: 'ann' } },
    });
    const listed = await app.graphql(
      `{ identities(filter: {provider: "gql"}, orderBy: {field: providerId}) { totalCount nodes { providerId } } }`,
    );
    expect(listed.data).toEqual({ identities: { totalCount: 1, nodes: [{ providerId: '1' }] } });
    const gone = await app.graphql(
      `mutation { deleteIdentity(provider: "gql", providerId: "1") { deleted } }`,
    );
    expect(gone.data).toEqual({ deleteIdentity: { deleted: true } });
  });
});
