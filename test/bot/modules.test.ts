import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { activityNamed, activityOf } from '../support/activity.js';
import { moduleCode, startModulesBot } from '../support/bot-modules.js';
import type { ModulesBot } from '../support/bot-modules.js';
import { startRole } from '../support/bot.js';
import { until } from '../support/embedded-postgres-kit.js';

/** Registers one of everything, and tells in the channel what it hears. */
const RECORDER = `
  enabledByDefault: true,
  config: [{ id: 'main', label: 'Main', settings: [{ key: 'channel', label: 'Channel', type: 'channel' }] }],
  setup(ctx) {
    ctx.on('messageCreate', async (message) => {
      if (!message.author.bot) await ctx.send(message.channelId, { content: 'heard ' + message.content });
    });
    ctx.every(1, () => { globalThis.recorder.ticks += 1; });
    ctx.onDisable(() => { globalThis.recorder.disabled += 1; });
    globalThis.recorder = { ticks: 0, disabled: 0, signal: ctx.signal, ctx };
  }`;

const CHEERS = new URL('../../docs/examples/bot-modules/cheers/index.js', import.meta.url);

const MODULES = {
  /** As it is documented. */
  cheers: readFileSync(CHEERS, 'utf8'),
  recorder: moduleCode('recorder', RECORDER),
  throwing: moduleCode(
    'throwing',
    `setup() { if (!globalThis.calm) throw new Error('no database of cats'); }`,
  ),
  hanging: moduleCode(
    'hanging',
    `setup(ctx) { ctx.on('messageCreate', () => { globalThis.hangingHeard = true; }); return new Promise(() => {}); }`,
  ),
  clinging: moduleCode(
    'clinging',
    `enabledByDefault: true, setup(ctx) { ctx.onDisable(() => new Promise(() => {})); }`,
  ),
  rejecting: moduleCode(
    'rejecting',
    `enabledByDefault: true, setup(ctx) {
      ctx.on('messageCreate', async () => { throw new Error('bad listener'); });
      ctx.onReady(() => { throw new Error('bad ready'); });
    }`,
  ),
  needy: moduleCode(
    'needy',
    `config: [{ id: 'main', label: 'Main', settings: [{ key: 'key', label: 'Key', type: 'string', required: true }] }]`,
  ),
  broken: 'export default {;',
  endless: 'await new Promise(() => {}); export default {};',
  renamed: moduleCode('another', ''),
  bad: moduleCode('bad', `commands: [{ name: 'Big', description: '' }]`),
  greedy: moduleCode('greedy', `commands: [{ name: 'help', description: 'mine', run() {} }]`),
};

let bot: ModulesBot;
const recorder = () =>
  (
    globalThis as unknown as {
      recorder: {
        ticks: number;
        disabled: number;
        signal: AbortSignal;
        ctx: { onDisable(f: () => void): void };
      };
    }
  ).recorder;
const count = () => bot.written('general').length;
const heard = (text: string) => bot.written('general').includes(`heard ${text}`);

const logged = async (text: string) => {
  const { body } = await bot.bot('GET', '/api/logs?limit=500');
  return (body.entries as { message: string }[]).some(({ message }) => message.includes(text));
};

beforeAll(async () => {
  bot = await startModulesBot(MODULES);
  await bot.post('start');
});

describe('GET /api/modules', () => {
  it('200: the shipped ones and those of the directory, by id', async () => {
    const { status, body } = await bot.bot('GET', '/api/modules');
    expect(status).toBe(200);
    expect(body.map(({ id }: { id: string }) => id)).toEqual(
      ['audit', 'licensing', 'utility', 'welcome', ...Object.keys(MODULES)].sort(),
    );
    expect(body.find(({ id }: { id: string }) => id === 'utility')).toEqual({
      ...{ id: 'utility', name: 'Utility', version: '1.0.0', author: 'Licensing Gateway', enabled: true },
      ...{ state: 'enabled', error: null, description: expect.stringContaining('sign of life') },
    });
  });

  it.each([
    ['broken', "didn't load"],
    ['endless', 'longer than'],
    ['renamed', 'its id is another, and its folder is called renamed'],
    ['bad', 'commands[0].name: Invalid string'],
    ['greedy', 'another module has a command help already'],
  ])('200: %s did not load, and says why', async (id, reason) => {
    expect(await bot.module(id)).toMatchObject({ enabled: false, state: 'failed' });
    expect((await bot.module(id))?.error).toContain(reason);
  });

  it('200: they are counted in the status', async () => {
    expect((await bot.status()).modules).toEqual({ loaded: 11, failed: 5 });
  });

  it('the documented example works', async () => {
    expect((await bot.toggle('cheers', true)).status).toBe(200);
    const { world, users } = bot.sandbox;
    const { id } = world.channel('general');
    await bot.bot('POST', '/api/modules/config', { id: 'cheers', group: 'main', values: { channel: id } });
    users.say('grace', 'general', `!cheer <@${world.member('ada').user.id}>`);
    await until(() => bot.written('general').includes(`hooray, <@${world.member('ada').user.id}>!`));
    await until(async () => {
      await bot.seed.license();
      return bot.written('general').includes('A new license. Cheers!');
    });
    users.say('ada', 'general', '!stock');
    // For nobody else's eyes, and a message has none but everyone's: so it comes as a direct one.
    const direct = world.direct('ada').id;
    await until(() => bot.written(direct).some((text) => /There are \d+ licenses/.test(text)));
    const body = { message: 'Cannot send messages to this user', code: 50_007 };
    bot.sandbox.faults.onRest(`POST /channels/${direct}`, { status: 403, body });
    users.say('ada', 'general', '!stock');
    await until(() =>
      bot.written('general').some((text) => text.includes("can't send you a direct message")),
    );
    bot.sandbox.faults.clear();
    await bot.toggle('cheers', false);
  });

  it('by GraphQL: bot { modules }', async () => {
    const { data } = await bot.graphql('{ bot { modules { id state } } }');
    expect(data.bot.modules).toContainEqual({ id: 'utility', state: 'enabled' });
  });
});

describe('POST /api/modules/toggle', () => {
  it('200: disabled with everything undone, and enabled again', async () => {
    bot.sandbox.users.say('grace', 'general', 'one');
    await until(() => heard('one'));
    const disabled = await bot.toggle('recorder', false, { actorId: '42', actorTag: 'ada#0' });
    expect([disabled.status, disabled.body]).toEqual([
      200,
      { success: true, id: 'recorder', enabled: false, changed: true, applied: true },
    ]);
    expect(await activityOf(bot, disabled)).toMatchObject([
      {
        ...{ event: 'bot.module.disabled', actor: 'auth_secret for ada#0 (42)', resource_id: 'recorder' },
        changes: { enabled: [true, false] },
      },
    ]);
    const { signal, ticks, disabled: times, ctx } = recorder();
    expect([signal.aborted, times]).toEqual([true, 1]);
    expect(() => {
      ctx.onDisable(() => undefined);
    }).toThrow('was disabled');
    const before = count();
    bot.sandbox.users.say('grace', 'general', 'two');
    // What comes after it has arrived, so it has too.
    bot.sandbox.users.say('grace', 'general', '!ping');
    await until(() => count() > before);
    expect(heard('two')).toBe(false);
    expect(recorder().ticks).toBe(ticks);
    expect((await bot.toggle('recorder', true)).body).toMatchObject({ changed: true, applied: true });
    bot.sandbox.users.say('grace', 'general', 'three');
    await until(() => heard('three'));
  });

  it('200 changed: false when it is so already', async () => {
    const response = await bot.toggle('recorder', true);
    expect(response.body).toEqual({
      success: true,
      id: 'recorder',
      enabled: true,
      changed: false,
      applied: true,
    });
    expect(await activityOf(bot, response)).toEqual([]);
  });

  it('404: no such module, and one that is there no more', async () => {
    expect((await bot.toggle('nothing', true)).body.code).toBe('MODULE_NOT_FOUND');
    await bot.sql(`insert into bot_module (id, enabled, state, created_at, updated_at)
                   values ('gone', true, 'disabled', now(), now())`);
    expect((await bot.toggle('gone', true)).status).toBe(404);
  });

  it('409 MODULE_ENABLE_FAILED: setup throws; it may be tried again', async () => {
    const response = await bot.toggle('throwing', true);
    expect([response.status, response.body.code]).toEqual([409, 'MODULE_ENABLE_FAILED']);
    expect(response.body.detail).toContain('no database of cats');
    const failures = await activityNamed(bot, 'bot.module.failed');
    expect(failures).toContainEqual(
      expect.objectContaining({ resource_id: 'throwing', actor: 'system', changes: expect.anything() }),
    );
    const shown = await bot.module('throwing');
    expect(shown).toMatchObject({ enabled: false, state: 'failed', error: 'no database of cats' });
    expect((await bot.status()).modules).toEqual({ loaded: 11, failed: 6 });
    Object.assign(globalThis, { calm: true });
    expect((await bot.toggle('throwing', true)).body).toMatchObject({ enabled: true, changed: true });
    expect(await bot.module('throwing')).toMatchObject({ enabled: true, state: 'enabled', error: null });
    expect((await bot.status()).modules).toEqual({ loaded: 11, failed: 5 });
  });

  it('409: setup hangs; what it had registered is undone', async () => {
    const response = await bot.toggle('hanging', true);
    expect([response.status, response.body.detail]).toEqual([409, expect.stringContaining('longer than')]);
    bot.sandbox.users.say('grace', 'general', 'four');
    await until(() => heard('four'));
    expect((globalThis as { hangingHeard?: boolean }).hangingHeard).toBeUndefined();
  });

  it('409: a setting is missing that it needs; 200 once it is set', async () => {
    const response = await bot.toggle('needy', true);
    expect([response.status, response.body.code]).toEqual([409, 'MODULE_ENABLE_FAILED']);
    expect(response.body.detail).toContain('it needs the setting main.key');
    expect(await bot.module('needy')).toMatchObject({ enabled: false, state: 'disabled' });
    await bot.bot('POST', '/api/modules/config', { id: 'needy', group: 'main', values: { key: 'x' } });
    expect((await bot.toggle('needy', true)).status).toBe(200);
  });

  it('409: its code did not load', async () => {
    expect((await bot.toggle('broken', true)).body.code).toBe('MODULE_ENABLE_FAILED');
    expect(await bot.module('broken')).toMatchObject({ enabled: false, state: 'failed' });
  });

  it('200: disabled, though its own hook hangs', async () => {
    expect((await bot.toggle('clinging', false)).body).toMatchObject({ changed: true, applied: true });
    await until(() => logged('The module clinging failed (onDisable)'));
  });

  it('listeners that throw are contained, and told on the console', async () => {
    await until(() => logged('bad listener'));
    await until(() => logged('bad ready'));
    expect((await bot.status()).state).toBe('running');
  });

  it('200 while the bot is stopped, and after a restart of the client listeners hear again', async () => {
    await bot.post('stop');
    expect((await bot.toggle('throwing', false)).body).toMatchObject({ changed: true, applied: true });
    await bot.post('start');
    bot.sandbox.users.say('grace', 'general', 'five');
    await until(() => heard('five'));
  });

  it('many toggles at once end as the last one that was answered says', async () => {
    const wanted = Array.from({ length: 12 }, (_, n) => n % 2 === 0);
    const responses = await Promise.all(wanted.map((enabled) => bot.toggle('throwing', enabled)));
    expect(responses.map(({ status }) => status)).toEqual(wanted.map(() => 200));
    const last = await bot.toggle('throwing', true);
    expect(last.body).toMatchObject({ enabled: true, applied: true });
    expect(await bot.module('throwing')).toMatchObject({ enabled: true, state: 'enabled' });
  });

  it('200 applied: false when no process runs the bot; done by the next one that does', async () => {
    await bot.role.stop();
    const response = await bot.toggle('throwing', false);
    expect(response.body).toMatchObject({ enabled: false, changed: true, applied: false });
    expect((await bot.toggle('recorder', true)).body).toMatchObject({ changed: false });
    await bot.sql(`update bot_module set state = 'disabled'`);
    await startRole(bot, { limits: { hookMs: 500 } });
    await until(async () => (await bot.module('recorder'))?.state === 'enabled');
    expect(await bot.module('throwing')).toMatchObject({ enabled: false, state: 'disabled' });
  });
});
