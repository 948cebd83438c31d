import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SETTING_TYPES, readSetting } from '../../src/bot/modules/setting.rules.js';
import type { Setting, SettingType } from '../../src/bot/modules/setting.rules.js';
import { activityOf, activityText } from '../support/activity.js';
import { moduleCode, startModulesBot } from '../support/bot-modules.js';
import type { ModulesBot } from '../support/bot-modules.js';
import { until } from '../support/embedded-postgres-kit.js';

const setting = (type: SettingType, more: Partial<Setting> = {}): Setting => ({
  ...{ key: 'x', label: 'X', description: '', type, default: null, required: false, options: [] },
  ...{ min: null, max: null, minLength: null, maxLength: null, pattern: null },
  ...more,
});
const OPTIONS = {
  options: [
    { value: 'a', label: 'A' },
    { value: 'b', label: 'B' },
  ],
};
const ID = '123456789012345678';

describe('settings', () => {
  it.each([
    ['string', 'x', 'x'],
    ['text', 'a\nb', 'a\nb'],
    ['boolean', 'true', true],
    ['boolean', false, false],
    ['integer', '5', 5],
    ['integer', -3, -3],
    ['number', '2.5', 2.5],
    ['select', 'a', 'a'],
    ['multiselect', ['b', 'a'], ['b', 'a']],
    ['color', '#AbCdEf', '#abcdef'],
    ['duration', '2h30m', 9000],
    ['duration', '90', 90],
    ['duration', 0, 0],
    ['url', 'https://a.b/c', 'https://a.b/c'],
    ['channel', `<#${ID}>`, ID],
    ['role', `<@&${ID}>`, ID],
    ['user', `<@!${ID}>`, ID],
    ['user', ID, ID],
    ['template', 'hello', 'hello'],
    ['list', ['a', 'b'], ['a', 'b']],
    ['secret', 's3cret', 's3cret'],
  ] as const)('%s takes %j', (type, raw, value) => {
    expect(readSetting(setting(type, OPTIONS), raw)).toEqual({ value });
  });

  it.each([
    ['string', 'a\nb', {}],
    ['string', 5, {}],
    ['string', 'ab', { minLength: 3 }],
    ['string', 'xyz', { pattern: '^a' }],
    ['text', 'x'.repeat(4001), {}],
    ['boolean', 'yes', {}],
    ['boolean', 1, {}],
    ['integer', 5.5, {}],
    ['integer', '5x', {}],
    ['integer', 11, { max: 10 }],
    ['number', 'NaN', {}],
    ['number', Number.POSITIVE_INFINITY, {}],
    ['select', 'c', OPTIONS],
    ['multiselect', ['a', 'a'], OPTIONS],
    ['multiselect', 'a', OPTIONS],
    ['color', 'red', {}],
    ['duration', '10 minutes', {}],
    ['duration', -1, {}],
    ['duration', '30s', { min: 60 }],
    ['url', 'javascript:alert(1)', {}],
    ['url', '/etc/passwd', {}],
    ['channel', 'general', {}],
    ['role', `<#${ID}>`, {}],
    ['list', ['a', 5], {}],
    ['list', ['a', 'b'], { max: 1 }],
    ['secret', { a: 1 }, {}],
  ] as const)('%s refuses %j', (type, raw, more) => {
    expect(readSetting(setting(type, more as Partial<Setting>), raw)).toEqual({
      allowed: expect.stringMatching(/^must be /),
    });
  });

  it('what was taken is taken again, and stays as it is', () => {
    const raw = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.array(fc.string()),
      fc.constantFrom('a', '#ABCDEF', '5', 'true', '1h', ID, 'https://a.b'),
    );
    fc.assert(
      fc.property(fc.constantFrom(...SETTING_TYPES), raw, (type, given) => {
        const read = readSetting(setting(type, OPTIONS), given);
        if ('value' in read) expect(readSetting(setting(type, OPTIONS), read.value)).toEqual(read);
        else if (type === 'secret') expect(read.allowed).not.toContain('got "');
      }),
    );
  });
});

const CODE = moduleCode(
  'settings',
  `enabledByDefault: true,
  config: [{ id: 'main', label: 'Main', settings: [
    { key: 'greeting', label: 'Greeting', type: 'string', default: 'Hello' },
    { key: 'times', label: 'Times', type: 'integer', default: 1, min: 1, max: 5 },
    { key: 'loud', label: 'Loud', type: 'boolean', default: false },
    { key: 'token', label: 'Token', type: 'secret' },
    { key: 'template', label: 'Template', type: 'template' },
    { key: 'name', label: 'Name', type: 'string', required: true, default: 'bot' },
  ] }],
  setup(ctx) {
    const read = () => ['greeting', 'times', 'loud', 'token', 'template'].map((key) => ctx.setting('main', key));
    globalThis.settingsSeen = [read()];
    ctx.onConfig(() => { globalThis.settingsSeen.push(read()); });
    ctx.onConfig(() => { throw new Error('bad onConfig'); });
  }`,
);

let bot: ModulesBot;
const write = (values: object, more: object = {}) =>
  bot.bot('POST', '/api/modules/config', { id: 'settings', group: 'main', values, ...more });
const seen = () => (globalThis as unknown as { settingsSeen: unknown[][] }).settingsSeen.at(-1);
const shown = async (key: string) => {
  const { body } = await bot.bot('GET', '/api/modules/configs');
  const [group] = body.find(({ id }: { id: string }) => id === 'settings').groups;
  return group.settings.find((each: { key: string }) => each.key === key);
};

beforeAll(async () => {
  bot = await startModulesBot({ settings: CODE });
});

describe('GET /api/modules/configs', () => {
  it('200: every module with its groups and values', async () => {
    const { status, body } = await bot.bot('GET', '/api/modules/configs');
    expect([status, body.map(({ id }: { id: string }) => id)]).toEqual([
      200,
      ['audit', 'licensing', 'settings', 'utility', 'welcome'],
    ]);
    expect(await shown('times')).toEqual({
      ...{ key: 'times', label: 'Times', description: '', type: 'integer', default: 1, value: 1, set: false },
      ...{ required: false, min: 1, max: 5, minLength: null, maxLength: null, pattern: null, options: [] },
    });
  });
});

describe('POST /api/modules/config', () => {
  it('200: merges, reaches the running module at once, and is remembered with its actor', async () => {
    const response = await write({ times: '3', loud: 'true' }, { actorTag: 'ada' });
    expect([response.status, response.body]).toMatchObject([200, { success: true, id: 'settings' }]);
    await until(() => JSON.stringify(seen()) === JSON.stringify(['Hello', 3, true, null, null]));
    expect(await shown('times')).toMatchObject({ value: 3, set: true });
    expect(await activityOf(bot, response)).toMatchObject([
      {
        ...{ event: 'bot.module.configured', actor: 'auth_secret for ada', resource_id: 'settings' },
        changes: { 'main.times': [null, 3], 'main.loud': [null, true] },
      },
    ]);
  });

  it('200: null goes back to the default', async () => {
    await write({ greeting: 'Hi' });
    expect((await write({ greeting: null, loud: null })).status).toBe(200);
    expect(await shown('greeting')).toMatchObject({ value: 'Hello', set: false });
    await until(() => seen()?.[0] === 'Hello' && seen()?.[2] === false);
  });

  it('200: a secret reaches the module, and never comes back or stands anywhere in plain', async () => {
    const response = await write({ token: 'hunter2-hunter2' });
    await until(() => seen()?.[3] === 'hunter2-hunter2');
    expect(await shown('token')).toMatchObject({ value: null, default: null, set: true });
    expect(response.text).not.toContain('hunter2');
    expect(await activityText(bot)).not.toContain('hunter2');
    expect(JSON.stringify(await bot.sql('select config from bot_module'))).not.toContain('hunter2');
    expect((await activityOf(bot, response))[0]?.changes).toEqual({ 'main.token': [null, '***'] });
  });

  it('200: a template by its name, kept by its id', async () => {
    const { body } = await bot.bot('POST', '/api/messages', { name: 'greeting', content: 'Hello {user}' });
    expect((await write({ template: 'greeting' })).status).toBe(200);
    expect(await shown('template')).toMatchObject({ value: body.id });
  });

  it.each([
    [{ times: 9 }, 'INVALID_FIELD', '/values/times'],
    [{ times: 2, nothing: 1 }, 'UNKNOWN_FIELD', '/values/nothing'],
    [{ template: 'no such' }, 'INVALID_FIELD', '/values/template'],
    [{ ['__proto__']: 1 }, 'UNKNOWN_FIELD', '/values/__proto__'],
  ])('422 %j: all or nothing', async (values, code, pointer) => {
    const before = await shown('times');
    const response = await write(values);
    expect([response.status, response.body.code]).toEqual([422, code]);
    expect(response.body.errors).toContainEqual(expect.objectContaining({ pointer }));
    expect(await shown('times')).toEqual(before);
  });

  it('422: a required setting without a default must have a value', async () => {
    const more = { id: 'welcome', group: 'joining' };
    const response = await write({ channel: null }, more);
    expect([response.status, response.body.detail]).toEqual([
      422,
      'values.channel is required, and has no default',
    ]);
  });

  it('422: an unknown group, naming those that there are; 404: no such module', async () => {
    const response = await write({ times: 2 }, { group: 'other' });
    expect([response.status, response.body.detail]).toEqual([
      422,
      expect.stringContaining('main; got "other"'),
    ]);
    expect((await write({ times: 2 }, { id: 'nothing' })).body.code).toBe('MODULE_NOT_FOUND');
  });

  it('200: two writers at once both count', async () => {
    await Promise.all([
      write({ times: 5 }),
      write({ greeting: 'Hey' }),
      write({ loud: true }),
      write({ name: 'x' }),
    ]);
    expect(await shown('times')).toMatchObject({ value: 5 });
    expect(await shown('greeting')).toMatchObject({ value: 'Hey' });
    await until(() => JSON.stringify(seen()?.slice(0, 3)) === JSON.stringify(['Hey', 5, true]));
  });

  it('200 without a change: nothing is announced', async () => {
    await write({ times: 4 });
    expect(await activityOf(bot, await write({ times: '4' }))).toEqual([]);
  });
});
