import { beforeAll, describe, expect, it } from '@jest/globals';
import { botRoutes } from '../../src/bot/routes.js';
import { licensingRoutes } from '../../src/licensing/routes.js';
import { compileOperation } from '../../src/platform/rest/operation.js';
import type { Route } from '../../src/platform/rest/routes.js';
import { createSchema } from '../../src/schema.js';
import { startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { restClient } from '../support/rest.js';
import type { RestClient } from '../support/rest.js';
import { pending } from './pending.js';
import { documentedApi } from './tables.js';

const licensing = documentedApi('licensing');
const bot = documentedApi('bot');
const documented = [licensing, bot].flatMap(({ contract, additions }) => [...contract, ...additions]);
const implemented = new Map(
  [...licensingRoutes, ...botRoutes].flatMap((table) => Object.entries(table)) as [string, Route][],
);
/** Not in a route table: they must answer when nothing else can. */
const health = ['GET /health/live', 'GET /health/ready'];
/** Beside the tables too: plain text, of no resource. */
const beside = [...health, 'GET /metrics'];

describe('the documented endpoints', () => {
  it('are 86 of licensing and 20 of the bot, 106 in all, and 7 and 1 additions', () => {
    expect([licensing.contract.length, bot.contract.length]).toEqual([86, 20]);
    expect([licensing.additions.length, bot.additions.length]).toEqual([7, 1]);
  });

  it('stand there once each', () => {
    const keys = documented.map((row) => row.key);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  it('are implemented, or listed in pending.ts', () => {
    const missing = documented
      .map((row) => row.key)
      .filter((key) => !implemented.has(key) && !beside.includes(key) && !pending.includes(key));
    expect(missing).toEqual([]);
  });

  it('are not listed in pending.ts once they are implemented', () => {
    expect(pending.filter((key) => implemented.has(key) || beside.includes(key))).toEqual([]);
  });

  it('are all that pending.ts lists, once each', () => {
    const keys = documented.map((row) => row.key);
    expect(pending.filter((key, index) => !keys.includes(key) || pending.indexOf(key) !== index)).toEqual([]);
  });
});

describe('the route tables', () => {
  it('hold nothing that is not documented', () => {
    const keys = documented.map((row) => row.key);
    expect([...implemented.keys()].filter((key) => !keys.includes(key))).toEqual([]);
  });

  it('agree with the documented access', () => {
    const rows = documented.filter((row) => implemented.has(row.key));
    expect(rows.map((row) => [row.key, implemented.get(row.key)?.access])).toEqual(
      rows.map((row) => [row.key, ['api key', 'bearer'].includes(row.access) ? 'apiKey' : 'public']),
    );
  });

  it('agree with the access that the operations themselves ask for', () => {
    const schema = createSchema();
    const asks = [...implemented].map(([key, route]) => {
      const { access } = compileOperation(schema, route.operation, route.member);
      return [key, access === 'public' ? 'public' : 'apiKey'];
    });
    expect(asks).toEqual([...implemented].map(([key, route]) => [key, route.access]));
  });
});

describe('every implemented row', () => {
  let app: TestApp;
  /** Each row's API by three callers: nobody, an unknown key, and a key of the other API's scope. */
  let clients: Record<'licensing' | 'bot', Record<'anonymous' | 'unknownKey' | 'foreignScope', RestClient>>;

  beforeAll(async () => {
    app = await startApp();
    const unknown = `lsk_${'a'.repeat(8)}_${'a'.repeat(43)}`;
    clients = {
      licensing: {
        anonymous: app.anonymous,
        unknownKey: restClient(app.url, unknown),
        foreignScope: await app.restAs('bot:read'),
      },
      bot: {
        anonymous: restClient(app.botUrl, undefined),
        unknownKey: restClient(app.botUrl, unknown),
        foreignScope: await app.botAs('licensing:read'),
      },
    };
  });

  const rows = [...implemented].map(([key, route]) => {
    const [method = '', path = ''] = key.split(' ');
    const api = path.startsWith('/api/') ? ('bot' as const) : ('licensing' as const);
    return { key, api, method, path: path.replaceAll(/:\w+/g, 'x'), access: route.access };
  });
  const guarded = rows.filter((row) => row.access === 'apiKey');

  it.each(guarded)('$key 401 API_KEY_MISSING without a credential', async ({ api, method, path }) => {
    const response = await clients[api].anonymous(method, path);
    expect([response.status, response.body.code]).toEqual([401, 'API_KEY_MISSING']);
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  it.each(guarded)('$key 401 API_KEY_INVALID with an unknown key', async ({ api, method, path }) => {
    const response = await clients[api].unknownKey(method, path);
    expect([response.status, response.body.code]).toEqual([401, 'API_KEY_INVALID']);
    expect(response.headers['www-authenticate']).toMatch(/^Bearer/);
  });

  it.each(guarded)('$key 403 INSUFFICIENT_SCOPE with a foreign key', async ({ api, method, path }) => {
    const response = await clients[api].foreignScope(method, path);
    expect([response.status, response.body.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
  });

  const paths = [...Map.groupBy(rows, (row) => row.path)].map(([path, all]) => ({
    path,
    api: all[0]?.api,
    methods: all.map((row) => row.method),
  }));

  it.each(paths)('PUT $path 405 with what is allowed', async ({ api, path, methods }) => {
    const response = await (api === 'bot' ? app.bot : app.anonymous)('PUT', path);
    expect([response.status, response.body.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
    expect(response.headers.allow?.split(', ').sort()).toEqual(allowed.sort());
  });

  it.each(health)('%s 200 with no credential', async (key) => {
    const [method = '', path = ''] = key.split(' ');
    const response = await app.anonymous(method, path);
    expect(response.status).toBe(200);
    expect(response.headers['x-request-id']).toEqual(expect.any(String));
  });
});
