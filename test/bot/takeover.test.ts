import { beforeAll, describe, expect, it } from '@jest/globals';
import { AUTH_SECRET, startApp } from '../support/app.js';
import type { TestApp } from '../support/app.js';
import { startRole, startTestBot, startTestSandbox } from '../support/bot.js';
import type { Sandbox } from '../../src/bot/sandbox/sandbox.js';
import { end, until } from '../support/embedded-postgres-kit.js';
import { startProgram } from '../support/process.js';
import type { Program } from '../support/process.js';
import { restClient } from '../support/rest.js';

describe('one bot for each database', () => {
  it('a second process stands by, and takes over when the first one ends', async () => {
    const bot = await startTestBot();
    const second = await startRole(bot);
    await bot.post('start');
    expect(bot.sandbox.gateway.connections).toBe(1);
    await bot.role.stop();
    expect(bot.sandbox.gateway.connections).toBe(0);
    await bot.untilState('running');
    expect(bot.sandbox.gateway.identifies).toHaveLength(2);
    await second.stop();
  });

  it('whoever loses its connection to the database stops its bot at once', async () => {
    const bot = await startTestBot();
    await bot.post('start');
    await bot.sql(`select pg_terminate_backend(pid) from pg_stat_activity
                    where application_name = 'licensing-bot-lease' and datname = current_database()`);
    await until(() => bot.sandbox.gateway.connections === 0);
    // It has the lease again as soon as the database lets it in, and goes on as it was told.
    await until(() => bot.sandbox.gateway.identifies.length === 2);
    await bot.untilState('running');
    await bot.post('stop');
  });

  it('any gateway controls it', async () => {
    const bot = await startTestBot();
    const other = await startApp({ databaseUrl: bot.databaseUrl });
    expect((await other.bot('POST', '/api/bot/start')).body).toEqual({ success: true, changed: true });
    expect(await bot.status()).toMatchObject({ state: 'running' });
    expect((await other.bot('GET', '/api/status')).body).toMatchObject({ state: 'running' });
    const moves = Array.from({ length: 20 }, (_, n) => (n % 2 ? bot : other).bot('POST', '/api/bot/restart'));
    for (const { status } of await Promise.all(moves)) expect(status).toBe(200);
    expect((await other.bot('POST', '/api/bot/stop')).body).toEqual({ success: true, changed: true });
    expect(bot.sandbox.gateway.connections).toBe(0);
  });

  it('503 BOT_UNAVAILABLE: the process ends while it is asked', async () => {
    const bot = await startTestBot();
    // Somebody has the lease, and answers nothing.
    await bot.role.stop();
    const [{ pid }] = (await holdLease(bot)) as [{ pid: number }];
    const asked = bot.post('start');
    await until(async () => (await bot.sql('select from bot_request')).length === 1);
    await bot.sql('select pg_terminate_backend($1)', [pid]);
    const response = await asked;
    expect([response.status, response.body.code]).toEqual([503, 'BOT_UNAVAILABLE']);
    expect(await bot.sql('select from bot_request')).toEqual([]);
  });
});

/** Takes the lease on a connection of its own, as a process that hangs. */
async function holdLease(app: TestApp): Promise<object[]> {
  const { Client } = await import('pg');
  const client = new Client(app.databaseUrl);
  client.on('error', () => undefined);
  await client.connect();
  await client.query('select pg_advisory_lock($1, $2)', [0x626f74, 1]);
  return (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
}

describe('kill -9 of the process that runs the bot', () => {
  let app: TestApp;
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startTestSandbox();
    app = await startApp();
  });

  const process = (): Program =>
    startProgram({
      ...{ ROLES: 'bot', DATABASE_URL: app.databaseUrl, AUTH_SECRET },
      ...{ BOT_TOKEN: sandbox.token, BOT_PLATFORM_URL: sandbox.apiUrl },
    });
  const state = async () =>
    ((await restClient(app.botUrl, undefined)('GET', '/api/status')).body as { state: string }).state;

  it('another takes over within 30 s, with presence, modules and what it was told; and an orderly end is exit 0', async () => {
    const first = process();
    await until(async () => (await state()) === 'running');
    const second = process();
    await until(() => second.stdout().includes('"ready"'));
    await app.bot('POST', '/api/bot/presence', {
      status: 'dnd',
      activities: [{ name: 'the gate', type: 3 }],
    });

    await app.bot('POST', '/api/modules/toggle', { id: 'utility', enabled: false });
    await app.bot('POST', '/api/modules/toggle', { id: 'audit', enabled: true });

    await end(first.child, 'SIGKILL');
    await until(() => sandbox.gateway.identifies.length === 2);
    expect(sandbox.gateway.identifies[1]).toMatchObject({
      presence: { status: 'dnd', activities: [{ name: 'the gate', type: 3 }] },
    });
    await until(async () => (await state()) === 'running');
    expect(sandbox.gateway.connections).toBe(1);
    const modules = (await app.bot('GET', '/api/modules')).body as { id: string; state: string }[];
    expect(Object.fromEntries(modules.map((each) => [each.id, each.state]))).toMatchObject({
      ...{ utility: 'disabled', audit: 'enabled', licensing: 'enabled' },
    });
    // Not only in the table: what a module registers is there again, or isn't.
    const answer = async (name: string) => {
      const called = sandbox.users.slash('ada', 'general', name);
      await until(() => called.message !== undefined);
      return String(called.message?.['content']);
    };
    expect(await answer('ping')).toBe('This command is switched off.');
    expect(await answer('licenses')).toContain('You have no licenses');

    await app.bot('POST', '/api/bot/stop');
    const third = process();
    await until(() => third.stdout().includes('"ready"'));
    await end(second.child, 'SIGKILL');
    // The stop outlives its process, too.
    await until(() => third.stdout().includes('This process runs the bot now'));
    expect(await state()).toBe('stopped');
    expect((await app.bot('POST', '/api/bot/start')).status).toBe(200);
    await end(third.child, 'SIGTERM');
    expect(await third.exit()).toBe(0);
    expect([await state(), sandbox.gateway.connections]).toEqual(['stopped', 0]);
    expect(third.stdout() + third.stderr()).not.toContain(sandbox.token);
  }, 240_000);
});
