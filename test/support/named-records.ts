import { describe, expect, it } from '@jest/globals';
import { activityOf } from './activity.js';
import type { TestApp } from './app.js';
import { START } from './app.js';

/** What holds for products, customers and addons alike. */
export function describeNamedRecords(kind: 'product' | 'customer' | 'addon', app: () => TestApp): void {
  const path = `/${kind}s`;
  const NOT_FOUND = `${kind.toUpperCase()}_NOT_FOUND`;

  describe(`POST ${path}`, () => {
    it('201: the record, and one activity entry', async () => {
      const response = await app().rest('POST', path, { name: `New ${kind}` });
      expect(response.status).toBe(201);
      expect(response.body).toMatchObject({
        id: expect.any(Number),
        name: `New ${kind}`,
        createdAt: START.toISOString(),
      });
      expect(await activityOf(app(), response)).toEqual([
        {
          event: `${kind}.created`,
          actor: 'api_key:*',
          source: 'rest',
          resource_type: kind,
          resource_id: `New ${kind}`,
          changes: expect.objectContaining({ name: [null, `New ${kind}`] }),
          request_id: response.headers['x-request-id'],
        },
      ]);
    });

    it('409 ALREADY_EXISTS: the name is taken, and nothing is logged', async () => {
      const { name } = await app().seed[kind]();
      const response = await app().rest('POST', path, { name });
      expect(response.status).toBe(409);
      expect(response.body).toMatchObject({
        code: 'ALREADY_EXISTS',
        detail: expect.stringContaining(JSON.stringify(name)),
      });
      expect(await activityOf(app(), response)).toEqual([]);
    });

    it('201: a record that was read is sent back under another name', async () => {
      const read = await app().seed[kind]();
      const response = await app().rest('POST', path, { ...read, name: `${read.name} again` });
      expect(response.status).toBe(201);
      expect(response.body.id).not.toBe(read['id']);
    });

    it.each([
      [{}, '/name', 'INVALID_FIELD'],
      [{ name: null }, '/name', 'INVALID_FIELD'],
      [{ name: '' }, '/name', 'INVALID_FIELD'],
      [{ name: ' padded' }, '/name', 'INVALID_FIELD'],
      [{ name: 'a\u0000b' }, '/name', 'INVALID_FIELD'],
      [{ name: 'n'.repeat(256) }, '/name', 'INVALID_FIELD'],
      [{ name: 7 }, '/name', 'INVALID_FIELD'],
      [{ name: 'x', colour: 'red' }, '/colour', 'UNKNOWN_FIELD'],
      [{ name: 'x', constructor: 1 }, '/constructor', 'UNKNOWN_FIELD'],
      [{ name: 'x', custom: { a: 1 } }, '/custom', 'UNKNOWN_FIELD'],
    ])('422: %j', async (body, pointer, code) => {
      const response = await app().rest('POST', path, body);
      expect(response.status).toBe(422);
      expect(response.body).toMatchObject({ code, errors: [{ pointer, code }] });
      expect(await activityOf(app(), response)).toEqual([]);
    });

    it('422 UNKNOWN_FIELD: __proto__ is a member like any other', async () => {
      const raw = '{"name": "Proto", "__proto__": {"polluted": true}}';
      const response = await app().rest('POST', path, {}, { raw });
      expect(response.status).toBe(422);
      expect(response.body.errors).toMatchObject([{ pointer: '/__proto__' }]);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    });

    it('201: names of 1 and of 255 characters', async () => {
      for (const name of ['é', 'n'.repeat(255)]) {
        const response = await app().rest('POST', path, { name });
        expect(response.body).toMatchObject({ name });
      }
    });

    it('403: a key that only reads', async () => {
      const reader = await app().restAs('licensing:read');
      const response = await reader('POST', path, { name: 'Forbidden' });
      expect([response.status, response.body.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
    });
  });

  describe(`GET ${path}`, () => {
    it('200: all, in the order they were made', async () => {
      const made = [await app().seed[kind](), await app().seed[kind]()];
      const response = await app().rest('GET', path);
      expect(response.status).toBe(200);
      expect(response.body.slice(-2)).toEqual(made);
      const ids = (response.body as { id: number }[]).map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    });

    it('401: without a key', async () => {
      expect((await app().anonymous('GET', path)).body).toMatchObject({ code: 'API_KEY_MISSING' });
    });
  });

  describe(`PATCH ${path}`, () => {
    it('200: renamed by new_name, with one activity entry', async () => {
      const { name, id } = await app().seed[kind]();
      app().clock.advance(1000);
      const response = await app().rest('PATCH', path, { name, new_name: `${name} renamed` });
      expect(response.status).toBe(200);
      expect(response.body).toMatchObject({
        id,
        name: `${name} renamed`,
        updatedAt: app().clock.now().toISOString(),
      });
      expect(await activityOf(app(), response)).toMatchObject([
        {
          event: `${kind}.updated`,
          actor: 'api_key:*',
          source: 'rest',
          changes: { name: [name, `${name} renamed`] },
        },
      ]);
    });

    it('200: what changes nothing leaves no trace', async () => {
      const record = await app().seed[kind]();
      app().clock.advance(1000);
      const response = await app().rest('PATCH', path, { ...record, new_name: record.name });
      expect([response.status, response.body]).toEqual([200, record]);
      expect(await activityOf(app(), response)).toEqual([]);
    });

    it('409 ALREADY_EXISTS: the new name is taken', async () => {
      const [first, second] = [await app().seed[kind](), await app().seed[kind]()];
      const response = await app().rest('PATCH', path, { name: first.name, new_name: second.name });
      expect([response.status, response.body.code]).toEqual([409, 'ALREADY_EXISTS']);
      expect(await activityOf(app(), response)).toEqual([]);
    });

    it('404: there is none of this name', async () => {
      const response = await app().rest('PATCH', path, { name: 'Nobody', new_name: 'Somebody' });
      expect([response.status, response.body.code]).toEqual([404, NOT_FOUND]);
      expect(await activityOf(app(), response)).toEqual([]);
    });

    it('422: without a name, and with an unknown member', async () => {
      expect((await app().rest('PATCH', path, {})).body).toMatchObject({ errors: [{ pointer: '/name' }] });
      const { name } = await app().seed[kind]();
      const response = await app().rest('PATCH', path, { name, colour: 'red' });
      expect(response.body).toMatchObject({ code: 'UNKNOWN_FIELD', errors: [{ pointer: '/colour' }] });
    });
  });

  describe(`DELETE ${path}`, () => {
    it('200: {"deleted": true}, then it is gone, with one activity entry', async () => {
      const { name } = await app().seed[kind]();
      const response = await app().rest('DELETE', path, { name });
      expect([response.status, response.body]).toEqual([200, { deleted: true }]);
      expect(await activityOf(app(), response)).toMatchObject([
        { event: `${kind}.deleted`, actor: 'api_key:*', source: 'rest', resource_id: name },
      ]);
      const again = await app().rest('DELETE', path, { name });
      expect([again.status, again.body.code]).toEqual([404, NOT_FOUND]);
      expect(await activityOf(app(), again)).toEqual([]);
    });

    it('422: without a name', async () => {
      const response = await app().rest('DELETE', path, {});
      expect([response.status, response.body.errors]).toMatchObject([422, [{ pointer: '/name' }]]);
    });
  });
}
