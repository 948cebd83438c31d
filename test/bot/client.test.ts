import { beforeAll, describe, expect, it } from '@jest/globals';
import { activityOf } from '../support/activity.js';
import { startTestBot } from '../support/bot.js';
import type { TestBot } from '../support/bot.js';
import { until } from '../support/embedded-postgres-kit.js';

let bot: TestBot;

beforeAll(async () => {
  bot = await startTestBot();
});

const connections = () => bot.sandbox.gateway.connections;

describe('POST /api/bot/start, stop, restart', () => {
  it('start 200 changed: connects, and tells who it is', async () => {
    const response = await bot.post('start');
    expect([response.status, response.body]).toEqual([200, { success: true, changed: true }]);
    const { world } = bot.sandbox;
    expect(await bot.status()).toMatchObject({
      running: true,
      state: 'running',
      bot: { id: world.bot.id, username: 'sandbox-bot', tag: 'sandbox-bot' },
      server: { id: world.guild.id, name: 'Sandbox' },
      lastError: null,
      ping: null,
      uptime: 0,
      shards: 1,
    });
    expect(connections()).toBe(1);
    expect(await activityOf(bot, response)).toMatchObject([
      {
        event: 'bot.started',
        actor: 'auth_secret',
        source: 'rest',
        resource_type: 'bot',
        resource_id: world.bot.id,
        changes: { state: ['starting', 'running'] },
      },
    ]);
  });

  it('start 200 not changed: it runs already', async () => {
    const response = await bot.post('start');
    expect([response.status, response.body]).toEqual([200, { success: true, changed: false }]);
    expect(await activityOf(bot, response)).toEqual([]);
  });

  it('restart 200: a new session', async () => {
    const before = bot.sandbox.gateway.identifies.length;
    const response = await bot.post('restart');
    expect([response.status, response.body]).toEqual([200, { success: true, changed: true }]);
    expect(bot.sandbox.gateway.identifies).toHaveLength(before + 1);
    await until(() => connections() === 1);
    const entries = await activityOf(bot, response);
    expect(entries.map(({ event }) => event)).toEqual(['bot.stopped', 'bot.started']);
  });

  it('stop 200 changed: disconnects, and keeps who it was', async () => {
    const response = await bot.post('stop');
    expect([response.status, response.body]).toEqual([200, { success: true, changed: true }]);
    expect(connections()).toBe(0);
    const { world } = bot.sandbox;
    expect(await bot.status()).toMatchObject({
      running: false,
      state: 'stopped',
      bot: { id: world.bot.id, username: 'sandbox-bot' },
      server: { id: world.guild.id },
      uptime: null,
    });
  });

  it('stop 200 not changed: it is stopped already', async () => {
    const response = await bot.post('stop');
    expect([response.status, response.body]).toEqual([200, { success: true, changed: false }]);
  });

  it('start 200 with an Idempotency-Key: done once, and answered twice', async () => {
    const headers = { 'idempotency-key': 'start-once' };
    const once = () => bot.bot('POST', '/api/bot/start', undefined, { headers });
    expect((await once()).body).toEqual({ success: true, changed: true });
    const again = await once();
    expect(again.body).toEqual({ success: true, changed: true });
    expect(again.headers['idempotency-replayed']).toBe('true');
    await bot.post('stop');
  });

  it('the same by GraphQL: startBot, stopBot, restartBot', async () => {
    const run = async (name: string) => {
      const { data, errors } = await bot.graphql(`mutation { ${name} { success changed } }`);
      expect(errors).toEqual([]);
      return data[name] as unknown;
    };
    expect(await run('startBot')).toEqual({ success: true, changed: true });
    expect(await run('restartBot')).toEqual({ success: true, changed: true });
    expect(await run('stopBot')).toEqual({ success: true, changed: true });
    const { data } = await bot.graphql('{ bot { status { state running } } }');
    expect(data).toEqual({ bot: { status: { state: 'stopped', running: false } } });
  });

  it('stop 200 during a start: that start is 409 BOT_STOPPED', async () => {
    bot.sandbox.faults.gateway = 'silent';
    const starting = bot.post('start');
    await bot.untilState('starting');
    await until(() => connections() === 1);
    const stopped = await bot.post('stop');
    expect([stopped.status, stopped.body]).toEqual([200, { success: true, changed: true }]);
    const started = await starting;
    expect([started.status, started.body.code]).toEqual([409, 'BOT_STOPPED']);
    expect(connections()).toBe(0);
    bot.sandbox.faults.clear();
    expect(await bot.status()).toMatchObject({ state: 'stopped', lastError: null });
  });

  it('stop 200 while the platform does not answer the close', async () => {
    await bot.post('start');
    bot.sandbox.gateway.deafen();
    expect((await bot.post('stop')).body).toEqual({ success: true, changed: true });
    expect(await bot.status()).toMatchObject({ state: 'stopped' });
    bot.sandbox.gateway.drop();
  });

  it('100 at random, all at once: it ends as it was told last, with nothing left behind', async () => {
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown) => rejections.push(reason);
    const counts = () => process.eventNames().map((name) => [name, process.listenerCount(name)]);
    const before = counts();
    process.on('unhandledRejection', onRejection);
    const moves = Array.from(
      { length: 99 },
      () => ['start', 'stop', 'restart'][Math.floor(Math.random() * 3)],
    );
    const answers = await Promise.all(moves.map((move) => bot.post(move ?? 'stop')));
    for (const { status, body } of answers) {
      expect([`200 undefined`, '409 BOT_STOPPED']).toContain(`${status} ${String(body.code)}`);
    }
    await bot.post('start');
    expect(await bot.status()).toMatchObject({ state: 'running' });
    await until(() => connections() === 1);
    await bot.post('stop');
    expect(await bot.status()).toMatchObject({ state: 'stopped' });
    expect(connections()).toBe(0);
    const [{ count }] = (await bot.sql('select count(*)::int from bot_request')) as [{ count: number }];
    expect(count).toBe(0);
    process.off('unhandledRejection', onRejection);
    expect(counts()).toEqual(before);
    expect(rejections).toEqual([]);
  });
});

describe('a connection that breaks', () => {
  it('is resumed, with the presence that was set meanwhile', async () => {
    await bot.post('start');
    const { gateway } = bot.sandbox;
    gateway.drop();
    await bot.untilState('reconnecting');
    const set = await bot.post('presence', { status: 'dnd', activities: [{ name: 'repairs', type: 3 }] });
    expect(set.body).toMatchObject({ success: true, applied: false });
    await bot.untilState('running');
    expect(gateway.resumes).toHaveLength(1);
    await until(() => gateway.presences.at(-1)?.['status'] === 'dnd');
    expect(connections()).toBe(1);
  });

  it('begins a new session when the platform has forgotten the old one', async () => {
    const { gateway, faults } = bot.sandbox;
    const before = gateway.identifies.length;
    faults.forgetsSessions = true;
    gateway.drop();
    await bot.untilState('reconnecting');
    await bot.untilState('running');
    faults.clear();
    expect(gateway.identifies).toHaveLength(before + 1);
    // The identify itself says the presence that is wanted now, not the one of the first login.
    expect(gateway.identifies.at(-1)).toMatchObject({ presence: { status: 'dnd' } });
  });

  it('survives packets that no one expects', async () => {
    const { gateway } = bot.sandbox;
    gateway.sendRaw('{"op":9}');
    gateway.sendRaw('{"op":0,"t":"MESSAGE_CREATE","s":1,"d":null}');
    gateway.sendRaw('no JSON at all');
    await until(async () => {
      const { body } = await bot.bot('GET', '/api/logs?level=warn');
      const lines = (body.entries as { message: string }[]).map(({ message }) => message);
      return lines.filter((line) => line.includes("can't be handled")).length === 2;
    });
    expect(await bot.status()).toMatchObject({ state: 'running' });
  });

  it('a stop while it reconnects ends that too', async () => {
    const { gateway, faults } = bot.sandbox;
    faults.gateway = 'refuse';
    gateway.drop();
    await bot.untilState('reconnecting');
    expect((await bot.post('stop')).body).toEqual({ success: true, changed: true });
    faults.clear();
    await bot.post('start');
    await until(() => connections() === 1);
    await bot.post('stop');
  });
});
