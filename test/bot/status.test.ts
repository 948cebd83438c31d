import { beforeAll, describe, expect, it } from '@jest/globals';
import { openapiDocuments } from '../../src/openapi.js';
import { createSchema } from '../../src/schema.js';
import { AUTH_SECRET } from '../support/app.js';
import { startRole, startTestBot } from '../support/bot.js';
import type { TestBot } from '../support/bot.js';
import { until } from '../support/embedded-postgres-kit.js';
import { graphqlClient } from '../support/graphql.js';
import { OpenapiChecker } from '../support/openapi.js';
import { restClient } from '../support/rest.js';
import type { RestClient } from '../support/rest.js';

let bot: TestBot;
let anyone: RestClient;

beforeAll(async () => {
  bot = await startTestBot();
  anyone = restClient(bot.botUrl, undefined);
});

describe('GET /api/status', () => {
  it('200 for everyone, and before the first login', async () => {
    const response = await anyone('GET', '/api/status');
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      product: 'licensing-gateway',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      running: false,
      license: { activated: false, message: 'No license key configured' },
      modules: { loaded: expect.any(Number), failed: 0 },
      bot: { id: null, username: null, tag: null },
      server: { id: null, name: null },
      state: 'stopped',
      since: expect.any(String),
      lastError: null,
      ping: null,
      uptime: null,
      shards: 0,
    });
    expect(response.headers).toMatchObject({ 'api-version': '1', 'x-request-id': expect.any(String) });
  });

  it('503 with the same body, as the document has it: strict, and it does not run', async () => {
    const response = await anyone('GET', '/api/status?strict=1');
    expect([response.status, response.body.state]).toEqual([503, 'stopped']);
    const checker = new OpenapiChecker(openapiDocuments(createSchema())['openapi-bot.json'] ?? {});
    const [operation] = checker.operations.filter(({ key }) => key === 'GET /api/status');
    expect(operation && checker.answerProblems(operation, response)).toEqual([]);
    expect((await anyone('GET', '/api/status?strict=0')).status).toBe(200);
  });

  it('200: strict, and it runs; uptime counts from the login', async () => {
    await bot.post('start');
    bot.clock.advance(90_500);
    const response = await anyone('GET', '/api/status?strict=1');
    expect([response.status, response.body.uptime]).toEqual([200, 90]);
    await bot.post('stop');
  });

  it('HEAD 200', async () => {
    expect((await anyone('HEAD', '/api/status')).status).toBe(200);
  });

  it('tells no secret', async () => {
    const { text } = await anyone('GET', '/api/status');
    expect(text).not.toContain(bot.sandbox.token);
    expect(text).not.toContain(AUTH_SECRET);
  });
});

describe('the credential', () => {
  it.each(['/api/logs', '/api/nothing', '/', '/api/bot/start'])(
    'is checked before the path: %s',
    async (path) => {
      const missing = await anyone('GET', path);
      expect([missing.status, missing.body.code]).toEqual([401, 'API_KEY_MISSING']);
      const wrong = await restClient(bot.botUrl, `${AUTH_SECRET}x`)('GET', path);
      expect([wrong.status, wrong.body.code]).toEqual([401, 'API_KEY_INVALID']);
    },
  );

  it('404: with it, a path where nothing is', async () => {
    const response = await bot.bot('GET', '/api/nothing');
    expect([response.status, response.body.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('may be an API key: bot:read reads, bot:write writes', async () => {
    const reader = await bot.botAs('bot:read');
    expect((await reader('GET', '/api/logs')).status).toBe(200);
    const refused = await reader('POST', '/api/bot/stop');
    expect([refused.status, refused.body.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
    const writer = await bot.botAs('bot:write');
    expect((await writer('POST', '/api/bot/stop')).status).toBe(200);
  });

  it('AUTH.SECRET is a bearer for /graphql too, for the bot and nothing else', async () => {
    const graphql = graphqlClient(bot.url, AUTH_SECRET);
    const own = await graphql('{ bot { status { state } logs { next } } }');
    expect(own).toMatchObject({ errors: [], data: { bot: { status: { state: 'stopped' } } } });
    const foreign = await graphql('{ products { nodes { name } } }');
    expect(foreign.errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE' } }]);
    const anonymous = await graphqlClient(bot.url, undefined)('{ bot { status { state } } }');
    expect(anonymous.errors).toEqual([]);
    const nosy = await graphqlClient(bot.url, undefined)('{ bot { logs { next } } }');
    expect(nosy.errors).toMatchObject([{ extensions: { code: 'API_KEY_MISSING' } }]);
  });
});

describe('without a process that runs the bot', () => {
  let idle: TestBot;

  beforeAll(async () => {
    idle = await startTestBot();
    await idle.post('start');
    await idle.role.stop();
  });

  it('GET /api/status 200: stopped, with who it was', async () => {
    expect(await idle.status()).toMatchObject({
      running: false,
      state: 'stopped',
      bot: { username: 'sandbox-bot' },
    });
    expect(idle.sandbox.gateway.connections).toBe(0);
  });

  it.each(['start', 'stop', 'restart'])('POST /api/bot/%s 503 BOT_UNAVAILABLE', async (move) => {
    const response = await idle.post(move);
    expect([response.status, response.body.code]).toEqual([503, 'BOT_UNAVAILABLE']);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('POST /api/bot/presence 200 not applied, and the next process shows it', async () => {
    const response = await idle.post('presence', { status: 'dnd' });
    expect([response.status, response.body]).toMatchObject([200, { applied: false, status: 'dnd' }]);
    // It was told to run, and nobody has told it otherwise.
    await startRole(idle);
    await idle.untilState('running');
    expect(idle.sandbox.gateway.identifies.at(-1)).toMatchObject({ presence: { status: 'dnd' } });
    await idle.post('stop');
  });

  it('whoever has not been told otherwise starts by itself, unless BOT.AUTOSTART is false', async () => {
    const eager = await startTestBot({ env: { BOT_AUTOSTART: 'true' } });
    await eager.untilState('running');
    await eager.post('stop');
    // An operator's stop outlives the process.
    await eager.role.stop();
    await startRole(eager);
    await until(
      async () => ((await eager.bot('GET', '/api/logs')).text.match(/runs the bot now/g) ?? []).length === 2,
    );
    expect(await eager.status()).toMatchObject({ state: 'stopped' });
    expect(eager.sandbox.gateway.identifies).toHaveLength(1);
  });
});

describe("the bot's own license", () => {
  const KEY = 'THE-BOTS-OWN-LICENSE';

  it('POST /api/bot/start 403 LICENSE_INACTIVE until it is valid; the status tells why', async () => {
    const licensed = await startTestBot({ env: { BOT_LICENSE_KEY: KEY } });
    await until(
      async () =>
        ((await licensed.status()) as { license: { message: string | null } }).license.message !== null,
    );
    const refused = await licensed.post('start');
    expect([refused.status, refused.body.code]).toEqual([403, 'LICENSE_INACTIVE']);
    expect(await licensed.status()).toMatchObject({
      state: 'stopped',
      license: { activated: false, message: expect.stringMatching(/./) },
    });

    await licensed.seed.license({ key: KEY, seats: 1 });
    expect((await licensed.post('start')).status).toBe(200);
    expect(await licensed.status()).toMatchObject({ license: { activated: true, message: null } });
    const sessions = await licensed.rest('GET', '/sessions');
    expect(sessions.body).toMatchObject([{ license: KEY, identifier: 'bot' }]);

    // Another process takes the seat over, rather than needing a second one.
    await licensed.role.stop();
    expect(await licensed.status()).toMatchObject({ license: { activated: false } });
    await startRole(licensed);
    await licensed.untilState('running');
    expect(await licensed.status()).toMatchObject({ license: { activated: true } });
    expect((await licensed.rest('GET', '/sessions')).body).toHaveLength(1);

    await licensed.rest('PATCH', '/licenses', { key: KEY, status: 'suspended' });
    const restarted = await licensed.post('restart');
    expect([restarted.status, restarted.body.code]).toEqual([403, 'LICENSE_INACTIVE']);
    expect(await licensed.status()).toMatchObject({ state: 'running', license: { activated: false } });
    await licensed.post('stop');
  });
});
