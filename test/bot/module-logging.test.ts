import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LogDelivery } from '../../src/bot/modules/logging/log-delivery.js';
import { MESSAGE_LENGTH_MAX, packLines, waitBeforeNext } from '../../src/bot/modules/logging/pace.rules.js';
import { activityOf } from '../support/activity.js';
import { moduleCode, startModulesBot } from '../support/bot-modules.js';
import type { ModulesBot } from '../support/bot-modules.js';
import { until } from '../support/embedded-postgres-kit.js';

describe('the pace of messages', () => {
  it('is never exceeded within any window', () => {
    const pace = { messages: 5, perMs: 5_000 };
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 50 }), (waits) => {
        const sent: number[] = [];
        let now = 0;
        for (const wait of waits) {
          now += wait;
          now += waitBeforeNext(sent, pace, now);
          sent.push(now);
        }
        for (const at of sent) {
          expect(sent.filter((other) => other >= at && other < at + pace.perMs).length).toBeLessThanOrEqual(
            5,
          );
        }
      }),
    );
  });

  it('as many lines as fit go into one message, in their order, and none is lost', () => {
    const line = fc.string({ minLength: 1, maxLength: 1500 }).map((text) => text.replaceAll('\n', ' '));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 40 }), (lines) => {
        const left = [...lines];
        while (left.length > 0) {
          const { text, count } = packLines(left);
          expect(count).toBeGreaterThan(0);
          expect(text.length).toBeLessThanOrEqual(MESSAGE_LENGTH_MAX);
          expect(text.split('\n').length).toBe(count);
          left.splice(0, count);
        }
      }),
    );
  });
});

describe('delivery', () => {
  it('gathers what comes too fast, keeps the order, and waits for nobody', async () => {
    const sent: string[] = [];
    const delivery = new LogDelivery({
      send: (_channel, text) => Promise.resolve(sent.push(text)),
      onOutcome: () => undefined,
      pace: { messages: 2, perMs: 100 },
    });
    for (let n = 0; n < 10; n++) delivery.tell('m', 'c', `${n}`);
    expect(sent).toEqual([]);
    delivery.open();
    for (let n = 10; n < 50; n++) delivery.tell('m', 'c', `${n}`);
    await until(() => sent.join('\n').split('\n').length === 50);
    expect(sent.join('\n').split('\n')).toEqual(Array.from({ length: 50 }, (_, n) => `${n}`));
    expect(sent.length).toBeLessThanOrEqual(3);
    delivery.shut();
  });

  it('a message that failed while the platform was away is posted when it is back, once and in its place', async () => {
    const sent: string[] = [];
    let failures = 2;
    const outcomes: unknown[] = [];
    const delivery = new LogDelivery({
      send: (_channel, text) => {
        if (failures-- > 0) return Promise.reject(new Error('away'));
        return Promise.resolve(sent.push(text));
      },
      isAway: (error) => (error as Error).message === 'away',
      onOutcome: (_tellers, error) => outcomes.push(error),
      pace: { messages: 100, perMs: 1 },
    });
    delivery.open();
    for (let n = 0; n < 3; n++) delivery.tell('m', 'c', `${n}`);
    await until(() => sent.length > 0);
    expect(sent.join('\n').split('\n')).toEqual(['0', '1', '2']);
    expect(outcomes).toEqual(Array(sent.length).fill(undefined));
    delivery.shut();
  });

  it('beyond 500 waiting lines the oldest are dropped, and counted', async () => {
    const sent: string[] = [];
    const delivery = new LogDelivery({
      send: (_channel, text) => Promise.resolve(sent.push(text)),
      onOutcome: () => undefined,
      pace: { messages: 100, perMs: 1 },
    });
    for (let n = 0; n < 600; n++) delivery.tell('m', 'c', `${n}`);
    delivery.open();
    await until(() => sent.join('\n').endsWith('\n599'));
    expect(sent[0]?.split('\n').slice(0, 2)).toEqual(['… 100 more were not posted', '100']);
    delivery.shut();
  });
});

const CODE = moduleCode(
  'teller',
  `enabledByDefault: true,
  events: [
    { key: 'loud', label: 'Loud' },
    { key: 'quiet', label: 'Quiet', default: false },
  ],
  setup(ctx) { globalThis.teller = ctx; }`,
);

/** Fails in each way that it can. */
const FAULTY = moduleCode(
  'faulty',
  `enabledByDefault: true,
  commands: [{ name: 'trip', description: 'Throws', run() { throw new Error('tripped over') } }],
  setup(ctx) {
    if (globalThis.faultyRefuses) throw new Error('refused to begin');
    ctx.on('messageCreate', async () => { throw new Error('could not listen'); });
    ctx.onDisable(() => new Promise(() => {}));
  }`,
);

let bot: ModulesBot;
let general: string;
let other: string;
const tell = (event: string, text: string) => {
  (globalThis as unknown as { teller: { tell(event: string, text: string): void } }).teller.tell(event, text);
};
const write = (body: object) => bot.bot('POST', '/api/modules/logging', { id: 'teller', ...body });
const target = async (id: string) =>
  (await bot.bot('GET', '/api/modules/logging')).body.find((each: { id: string }) => each.id === id);
const says = (channel: string, text: string) => bot.written(channel).some((each) => each.includes(text));

beforeAll(async () => {
  bot = await startModulesBot({ teller: CODE, faulty: FAULTY });
  general = bot.sandbox.world.channel('general').id;
  other = bot.sandbox.world.addChannel('other').id;
  await bot.post('start');
});

describe('GET /api/modules/logging', () => {
  it('200: the bot itself, and each module that tells something', async () => {
    const { status, body } = await bot.bot('GET', '/api/modules/logging');
    expect([status, body.map(({ id }: { id: string }) => id)]).toEqual([
      200,
      ['core', 'audit', 'licensing', 'teller', 'utility', 'welcome'],
    ]);
    expect(body[0].events.map(({ key }: { key: string }) => key)).toEqual([
      ...['bot.started', 'bot.stopped', 'bot.failed', 'command.used', 'command.denied', 'command.error'],
      'module.error',
    ]);
    expect(await target('teller')).toEqual({
      ...{ id: 'teller', name: 'teller', enabled: true, channel: null, lastError: null },
      events: [
        { key: 'loud', label: 'Loud', description: '', default: true, enabled: true, channel: null },
        { key: 'quiet', label: 'Quiet', description: '', default: false, enabled: false, channel: null },
      ],
    });
  });
});

describe('POST /api/modules/logging', () => {
  it('200: events go to the channel, and an own channel overrides it', async () => {
    const response = await write({
      channel: general,
      events: { quiet: { enabled: true, channel: other } },
      actorTag: 'ada',
    });
    expect([response.status, response.body]).toMatchObject([
      200,
      {
        success: true,
        channel: general,
        events: [{ key: 'loud' }, { key: 'quiet', enabled: true, channel: other }],
      },
    ]);
    expect(await activityOf(bot, response)).toMatchObject([
      { event: 'bot.logging.updated', actor: 'auth_secret for ada', changes: { channel: [null, general] } },
    ]);
    await until(() => {
      tell('loud', 'first');
      return says('general', 'first');
    });
    tell('quiet', 'second');
    await until(() => says('other', 'second'));
    expect(bot.written('general').at(-1)).toMatch(/^<t:\d+:T> first/);
  });

  it('200: switched off, an event is not told; null takes it back to as declared', async () => {
    await write({ events: { loud: false } });
    expect((await target('teller')).events[0]).toMatchObject({ enabled: false });
    await write({ events: { loud: null, quiet: null } });
    expect((await target('teller')).events).toMatchObject([
      { enabled: true, channel: null },
      { enabled: false, channel: null },
    ]);
    await write({ enabled: false });
    expect(await target('teller')).toMatchObject({ enabled: false, channel: general });
    await write({ enabled: true });
  });

  it('a channel that takes nothing: lastError and the console say so, until it works again', async () => {
    await write({ channel: bot.sandbox.world.channel('announcements').id });
    const error = {
      message: "The bot isn't allowed to write in this channel",
      at: bot.clock.now().toISOString(),
    };
    // Until then, what was told before is still on its way to where it succeeds.
    await until(async () => {
      tell('loud', 'lost');
      return JSON.stringify((await target('teller')).lastError) === JSON.stringify(error);
    });
    await write({ channel: general });
    await until(async () => {
      tell('loud', 'found');
      return (await target('teller')).lastError === null;
    });
  });

  it('a hundred events at once: in few messages, and all of them arrive', async () => {
    await until(() => {
      tell('loud', 'ready');
      return says('general', 'ready');
    });
    const before = bot.written('general').length;
    for (let n = 0; n < 100; n++) tell('loud', `burst ${n};`);
    await until(() => says('general', 'burst 99;'));
    const text = bot.written('general').slice(before).join('\n');
    for (let n = 0; n < 100; n++) expect(text).toContain(`burst ${n};`);
    expect(bot.written('general').length - before).toBeLessThan(10);
  });

  it('nobody is pinged by what is told', async () => {
    const allowed: unknown[] = [];
    const { world } = bot.sandbox;
    const original = world.addMessage.bind(world);
    world.addMessage = (id, author, body) => {
      if (String(body['content']).includes('@everyone')) allowed.push(body['allowed_mentions']);
      return original(id, author, body);
    };
    tell('loud', '@everyone <@&1> <@2>');
    await until(() => allowed.length > 0);
    world.addMessage = original;
    // Nothing is parsed, and nobody named: without this the platform pings whomever the text names.
    expect(allowed).toEqual([{ parse: [], users: [], roles: [] }]);
  });

  it('core: what happens while the bot is stopped is told when it is back', async () => {
    await bot.bot('POST', '/api/modules/logging', { id: 'core', channel: other });
    await until(async () => (await target('core')).channel === other);
    await bot.post('restart');
    await until(() => says('other', 'The bot was stopped') && says('other', 'The bot has connected'));
  });

  it('core: each way in which a module fails is told with its reason, here and on the console', async () => {
    const consoleSays = async (text: string) =>
      JSON.stringify((await bot.bot('GET', '/api/logs?limit=500')).body).includes(text);
    const told = (text: string) => until(async () => says('other', text) && (await consoleSays(text)));
    bot.sandbox.users.say('grace', 'general', '!trip');
    await told('trip by grace');
    await told('tripped over');
    await told('The module faulty failed (the listener for messageCreate): could not listen');
    expect((await bot.toggle('faulty', false)).status).toBe(200);
    await told('The module faulty failed (onDisable)');
    const { failed } = (await bot.status()).modules as { failed: number };
    Object.assign(globalThis, { faultyRefuses: true });
    expect((await bot.toggle('faulty', true)).body.code).toBe('MODULE_ENABLE_FAILED');
    await told('refused to begin');
    Object.assign(globalThis, { faultyRefuses: false });
    expect((await bot.status()).modules.failed).toBe(failed + 1);
    // The bot and the other modules go on.
    tell('loud', 'still here');
    await until(() => says('general', 'still here'));
    expect(await bot.status()).toMatchObject({ state: 'running' });
  });

  it.each([
    [{ channel: 'general' }, 422, 'INVALID_FIELD'],
    [{ events: { nothing: true } }, 422, 'UNKNOWN_FIELD'],
    [{ events: { loud: 'yes' } }, 422, 'INVALID_FIELD'],
    [{ events: { loud: { enabled: true, colour: 'red' } } }, 422, 'INVALID_FIELD'],
    [{ id: 'nothing', enabled: true }, 404, 'MODULE_NOT_FOUND'],
  ])('%j %i %s: nothing is changed', async (body, status, code) => {
    const before = await target('teller');
    const response = await write({ enabled: false, ...body });
    expect([response.status, response.body.code]).toEqual([status, code]);
    expect(await target('teller')).toEqual(before);
  });
});
