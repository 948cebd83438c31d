import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Faults, RestFault } from '../../src/bot/sandbox/faults.js';
import { activityOf } from '../support/activity.js';
import { startTestBot } from '../support/bot.js';
import type { TestBot } from '../support/bot.js';
import { until } from '../support/embedded-postgres-kit.js';

let bot: TestBot;

beforeAll(async () => {
  bot = await startTestBot({ limits: { reconnectMs: 300, firstWaitMs: 60_000 } });
});

beforeEach(async () => {
  bot.sandbox.faults.clear();
  await bot.post('stop');
});

const GATEWAY_BOT = 'GET /gateway/bot';
const onLogin = (fault: RestFault) => (faults: Faults) => {
  faults.onRest(GATEWAY_BOT, fault);
};
const asks = (seconds: number): RestFault => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
  body: { message: 'You are being rate limited.', retry_after: seconds, global: false },
});

interface Case {
  readonly what: string;
  readonly answer: [number, string];
  readonly set: (faults: Faults) => void;
}

const CASES: readonly Case[] = [
  {
    what: 'the token is refused by REST',
    answer: [502, 'PLATFORM_TOKEN_INVALID'],
    set: onLogin({ status: 401 }),
  },
  {
    what: 'the token is refused by the gateway (4004)',
    answer: [502, 'PLATFORM_TOKEN_INVALID'],
    set: (faults) => (faults.closeOnIdentify = 4004),
  },
  {
    what: 'the intents are not allowed (4014)',
    answer: [502, 'PLATFORM_INTENTS_DISALLOWED'],
    set: (faults) => (faults.closeOnIdentify = 4014),
  },
  {
    what: 'the version is not known (4012)',
    answer: [502, 'PLATFORM_REJECTED'],
    set: (faults) => (faults.closeOnIdentify = 4012),
  },
  { what: 'REST forbids it', answer: [502, 'PLATFORM_REJECTED'], set: onLogin({ status: 403 }) },
  { what: 'REST asks to wait', answer: [503, 'PLATFORM_UNAVAILABLE'], set: onLogin(asks(77)) },
  { what: 'REST fails', answer: [503, 'PLATFORM_UNAVAILABLE'], set: onLogin({ status: 502 }) },
  { what: 'REST says nothing', answer: [504, 'PLATFORM_TIMEOUT'], set: onLogin('hang') },
  {
    what: 'the gateway refuses connections',
    answer: [503, 'PLATFORM_UNAVAILABLE'],
    set: (faults) => (faults.gateway = 'refuse'),
  },
  {
    what: 'the gateway closes with 4000, over and over',
    answer: [503, 'PLATFORM_UNAVAILABLE'],
    set: (faults) => (faults.closeOnIdentify = 4000),
  },
  {
    what: 'the gateway says nothing',
    answer: [504, 'PLATFORM_TIMEOUT'],
    set: (faults) => (faults.gateway = 'silent'),
  },
];

describe('POST /api/bot/start', () => {
  it.each(CASES)('$answer: $what', async ({ answer, set }) => {
    set(bot.sandbox.faults);
    const response = await bot.post('start');
    expect([response.status, response.body.code]).toEqual(answer);
    expect(await bot.status()).toMatchObject({
      state: 'failed',
      running: false,
      lastError: { code: answer[1], at: bot.clock.now().toISOString() },
    });
    await until(() => bot.sandbox.gateway.connections === 0);
    const entries = await activityOf(bot, response);
    expect(entries.map(({ event }) => event)).toEqual(['bot.failed']);
  });

  it('503 PLATFORM_UNAVAILABLE hands on how long the platform wants to be left alone', async () => {
    bot.sandbox.faults.onRest(GATEWAY_BOT, asks(77));
    const { headers } = await bot.post('start');
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(77);
  });

  it('503 PLATFORM_UNAVAILABLE: nobody listens there', async () => {
    const dead = await startTestBot({ env: { BOT_PLATFORM_URL: 'http://127.0.0.1:9/api' } });
    const response = await dead.post('start');
    expect([response.status, response.body.code]).toEqual([503, 'PLATFORM_UNAVAILABLE']);
  });

  it('409 BOT_TOKEN_MISSING: there is none', async () => {
    const tokenless = await startTestBot({ env: { BOT_TOKEN: '', BOT_AUTOSTART: 'true' } });
    for (const move of ['start', 'restart']) {
      const response = await tokenless.post(move);
      expect([response.status, response.body.code]).toEqual([409, 'BOT_TOKEN_MISSING']);
    }
    expect(await tokenless.status()).toMatchObject({
      state: 'stopped',
      bot: { id: null },
      server: { id: null },
    });
    await until(async () => {
      const console = await tokenless.bot('GET', '/api/logs');
      return console.text.includes('it stays stopped without BOT.TOKEN or BOT.SANDBOX');
    });
  });

  it('200: after a failure', async () => {
    bot.sandbox.faults.closeOnIdentify = 4004;
    await bot.post('start');
    bot.sandbox.faults.clear();
    expect((await bot.post('start')).body).toEqual({ success: true, changed: true });
    // What went wrong last stays to be read.
    expect(await bot.status()).toMatchObject({
      state: 'running',
      lastError: { code: 'PLATFORM_TOKEN_INVALID' },
    });
  });
});

describe('while it runs', () => {
  beforeEach(async () => {
    await bot.post('start');
  });

  it.each([
    [4004, 'PLATFORM_TOKEN_INVALID'],
    [4014, 'PLATFORM_INTENTS_DISALLOWED'],
  ])('close %d: failed, %s', async (closeCode, code) => {
    bot.sandbox.gateway.close(closeCode);
    await bot.untilState('failed');
    expect(await bot.status()).toMatchObject({ running: false, lastError: { code } });
    await until(() => bot.sandbox.gateway.connections === 0);
  });

  it('one 401 of REST: failed, though the socket is fine', async () => {
    bot.sandbox.faults.onRest('POST /channels', {
      status: 401,
      body: { message: '401: Unauthorized', code: 0 },
    });
    const channel = bot.sandbox.world.channel('general').id;
    const sent = await bot.bot('POST', '/api/embeds/send', { channel, content: 'hello' });
    expect([sent.status, sent.body.code]).toEqual([502, 'PLATFORM_TOKEN_INVALID']);
    await bot.untilState('failed');
    await until(() => bot.sandbox.gateway.connections === 0);
  });

  it('a message that is under way when the bot is stopped: 409 BOT_NOT_RUNNING', async () => {
    const stopped = await startTestBot({ limits: { restMs: 20_000 } });
    await stopped.post('start');
    stopped.sandbox.faults.onRest('POST /channels', 'hang');
    const channel = stopped.sandbox.world.channel('general').id;
    const [sent] = await Promise.all([
      stopped.bot('POST', '/api/embeds/send', { channel, content: 'hello' }),
      stopped.post('stop'),
    ]);
    expect([sent.status, sent.body.code]).toEqual([409, 'BOT_NOT_RUNNING']);
  });

  it('away for too long: a new client tries, until the platform is back', async () => {
    bot.sandbox.faults.gateway = 'refuse';
    bot.sandbox.gateway.drop();
    await bot.untilState('reconnecting');
    const before = bot.sandbox.gateway.identifies.length;
    await until(async () => {
      const { body } = await bot.bot('GET', '/api/logs');
      return JSON.stringify(body).includes('trying with a new client');
    });
    expect(await bot.status()).toMatchObject({ state: 'reconnecting' });
    bot.sandbox.faults.clear();
    await bot.untilState('running');
    expect(bot.sandbox.gateway.identifies.length).toBe(before + 1);
    await until(() => bot.sandbox.gateway.connections === 1);
  });

  it('heartbeats that nobody answers: it connects again', async () => {
    const eager = await startTestBot({ heartbeatMs: 150 });
    await eager.post('start');
    eager.sandbox.faults.ignoresHeartbeats = true;
    await eager.untilState('reconnecting');
    eager.sandbox.faults.clear();
    await eager.untilState('running');
    await eager.post('stop');
  });
});

describe('an attempt that failed since the platform was away', () => {
  it('is made again, with growing pauses, until it works', async () => {
    const patient = await startTestBot({ limits: { loginMs: 400, firstWaitMs: 50, longestWaitMs: 100 } });
    patient.sandbox.faults.gateway = 'refuse';
    expect((await patient.post('start')).status).toBe(503);
    await patient.untilState('starting');
    patient.sandbox.faults.clear();
    await patient.untilState('running');
    await patient.post('stop');
  });

  it('is not made again once it was stopped', async () => {
    const patient = await startTestBot({ limits: { loginMs: 400, firstWaitMs: 300, longestWaitMs: 300 } });
    patient.sandbox.faults.onRest(GATEWAY_BOT, { status: 503 });
    expect((await patient.post('start')).status).toBe(503);
    expect((await patient.post('stop')).body).toEqual({ success: true, changed: false });
    patient.sandbox.faults.clear();
    const again = await patient.post('start');
    expect(again.body).toEqual({ success: true, changed: true });
    expect(patient.sandbox.gateway.identifies).toHaveLength(1);
  });
});
