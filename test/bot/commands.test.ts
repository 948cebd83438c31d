import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Interaction } from '../../src/bot/sandbox/interactions.js';
import { activityOf } from '../support/activity.js';
import { moduleCode, startModulesBot } from '../support/bot-modules.js';
import type { ModulesBot } from '../support/bot-modules.js';
import { until } from '../support/embedded-postgres-kit.js';

const CODE = moduleCode(
  'zoo',
  `enabledByDefault: true,
  commands: [
    {
      name: 'feed', description: 'Feeds an animal',
      options: [
        { name: 'animal', description: 'Which', type: 'string', required: true, choices: [
          { name: 'Cat', value: 'cat' }, { name: 'Dog', value: 'dog' } ] },
        { name: 'portions', description: 'How many', type: 'integer', min: 1, max: 9 },
      ],
      run: (call) => call.reply(call.trigger + ' feeds ' + JSON.stringify(call.options)),
    },
    { name: 'keeper', description: 'Keepers only', rules: { permissions: ['ManageGuild'] }, run: (call) => call.reply('in') },
    { name: 'fall', description: 'Throws', run() { throw new Error('fell over'); } },
    { name: 'slow', description: 'Thinks', run: async (call) => {
      await new Promise((resolve) => setTimeout(resolve, 1700));
      await call.reply('done thinking');
      await call.reply('and more');
    } },
    { name: 'mute', description: 'Says nothing', run() {} },
    { name: 'cage', description: 'Cages', subcommands: [
      { name: 'open', description: 'Opens', run: (call) => call.reply('open ' + call.command) },
      { name: 'key', group: 'lost', description: 'Lost', options: [{ name: 'n', description: 'Which', type: 'integer' }],
        run: (call) => call.reply('key ' + JSON.stringify(call.options)) },
    ] },
  ]`,
);

let bot: ModulesBot;
const write = (body: object) => bot.bot('POST', '/api/commands', body);
const set = (name: string, more: object) => write({ commands: [{ name, ...more }] });
const list = async () => (await bot.bot('GET', '/api/commands')).body;
const command = async (name: string) =>
  (await list()).commands.find((each: { name: string }) => each.name === name);
const last = () => bot.written('general').at(-1);
const answer = async (interaction: Interaction) => {
  await until(() => interaction.message !== undefined);
  const { message } = interaction;
  return { content: message?.['content'], isEphemeral: (Number(message?.['flags']) & 64) !== 0 };
};
const slash = (
  name: string,
  options: { name: string; type: number; value?: unknown }[] = [],
  member = 'grace',
) => answer(bot.sandbox.users.slash(member, 'general', name, options));
/** What the bot answers to a message. */
const say = async (content: string, member = 'grace') => {
  const before = bot.written('general').length;
  bot.sandbox.users.say(member, 'general', content);
  await until(() => bot.written('general').length > before);
  return last();
};
/** Waits until the running bot has heard of a change. */
const untilRefused = (name: string) =>
  until(
    async () =>
      !(await slash(name, [{ name: 'animal', type: 3, value: 'cat' }])).content?.toString().includes('feeds'),
  );

beforeAll(async () => {
  bot = await startModulesBot({ zoo: CODE });
  await bot.post('start');
});

describe('GET /api/commands', () => {
  it('200: the prefix, and every command as it stands', async () => {
    const { prefix, commands } = await list();
    expect(prefix).toBe('!');
    expect(commands.map(({ name }: { name: string }) => name)).toEqual([
      ...[
        'cage',
        'fall',
        'feed',
        'help',
        'keeper',
        'licenses',
        'mute',
        'ping',
        'redeem',
        'say',
        'slow',
        'validate',
      ],
      'welcome',
    ]);
    expect(await command('cage')).toMatchObject({
      ...{ description: 'Cages', module: 'zoo', enabled: true, slash: true, prefix: true, mention: true },
      customPrefix: '',
      subcommands: [
        { name: 'open', description: 'Opens', group: null, enabled: true, options: [] },
        {
          ...{ name: 'key', group: 'lost', enabled: true },
          options: [{ name: 'n', description: 'Which', type: 'integer', required: false }],
        },
      ],
      rules: { cooldown: null, allowRoles: [], permissions: [], ephemeral: false, denyMessage: null },
    });
  });
});

describe('a call', () => {
  it('by slash, prefix and mention', async () => {
    const options = [
      { name: 'animal', type: 3, value: 'dog' },
      { name: 'portions', type: 4, value: 2 },
    ];
    expect(await slash('feed', options)).toEqual({
      content: 'slash feeds {"animal":"dog","portions":2}',
      isEphemeral: false,
    });
    expect(await say('!feed cat 3')).toBe('prefix feeds {"animal":"cat","portions":3}');
    expect(await say(`<@${bot.sandbox.world.bot.id}> feed Dog`)).toBe('mention feeds {"animal":"dog"}');
  });

  it('of a subcommand, also in a group', async () => {
    expect(await say('!cage open')).toBe('open cage open');
    expect(await say('!cage lost key 4')).toBe('key {"n":4}');
    const sub = { name: 'key', type: 1, options: [{ name: 'n', type: 4, value: 5 }] };
    expect((await slash('cage', [{ name: 'lost', type: 2, options: [sub] } as never])).content).toBe(
      'key {"n":5}',
    );
  });

  it('that is typed wrong is told how it goes', async () => {
    expect(await say('!feed cow')).toBe(
      '`animal` must be one of Cat, Dog; got "cow"\nUsage: `!feed <animal> [portions]`',
    );
    expect(await say('!cage')).toBe('Use one of:\n`!cage open`\n`!cage lost key [n]`');
  });

  it('that fails is answered, and others go on', async () => {
    expect(await slash('fall')).toEqual({
      content: expect.stringContaining('went wrong'),
      isEphemeral: true,
    });
    expect(await say('!fall')).toContain('went wrong');
    expect(await say('!feed cat')).toContain('feeds');
  });

  it('that takes its time is deferred, answered and followed up; one that says nothing is closed', async () => {
    const interaction = bot.sandbox.users.slash('grace', 'general', 'slow');
    expect((await answer(interaction)).content).toBe('done thinking');
    expect(interaction.callback?.type).toBe(5);
    await until(() => last() === 'and more');
    expect(await slash('mute')).toEqual({ content: 'Done.', isEphemeral: true });
  });

  it('of bots is not heard, so that two of them never talk forever', async () => {
    const { world, gateway, users } = bot.sandbox;
    const { user } = world.addMember('robot');
    const before = bot.written('general').length;
    const message = world.addMessage(world.channel('general').id, user, { content: '!ping' });
    gateway.dispatch('MESSAGE_CREATE', {
      ...message,
      guild_id: world.guild.id,
      author: { ...user, bot: true },
    });
    users.say('grace', 'general', '!ping');
    await until(() => bot.written('general').length > before);
    expect(bot.written('general').length).toBe(before + 1);
  });

  it('needs the permission; those who have it pass', async () => {
    expect(await say('!keeper')).toBe('You need the permission ManageGuild to use this command.');
    expect(await say('!keeper', 'ada')).toBe('in');
  });

  it('of /help lists what the caller may use', async () => {
    const help = async (member: string) => {
      const interaction = bot.sandbox.users.slash(member, 'general', 'help');
      await until(() => interaction.message !== undefined);
      return JSON.stringify(interaction.message?.['embeds']);
    };
    expect(await help('ada')).toContain('/keeper');
    const { world } = bot.sandbox;
    await set('feed', { rules: { denyUsers: [world.member('grace').user.id] } });
    await untilRefused('feed');
    expect(await help('grace')).not.toContain('/feed');
    expect(await help('ada')).toContain('/feed');
    await set('feed', { rules: { denyUsers: null } });
  });
});

describe('POST /api/commands', () => {
  beforeEach(async () => {
    await write({
      prefix: '!',
      commands: [{ name: 'feed', enabled: null, slash: null, customPrefix: '', rules: null }],
    });
  });

  it('200: merges, tells whether a sync is needed, and is announced', async () => {
    await bot.bot('POST', '/api/commands/sync');
    const response = await set('feed', {
      enabled: false,
      rules: { cooldown: { seconds: 5, uses: 1, scope: 'user' } },
    });
    expect([response.status, response.body]).toMatchObject([
      200,
      { success: true, prefix: '!', syncRequired: true },
    ]);
    expect(await activityOf(bot, response)).toMatchObject([{ event: 'bot.commands.updated' }]);
    await untilRefused('feed');
    expect(await slash('feed', [{ name: 'animal', type: 3, value: 'cat' }])).toEqual({
      content: 'This command is switched off.',
      isEphemeral: true,
    });
    const again = await set('feed', { enabled: true });
    expect(again.body).toMatchObject({ syncRequired: false });
    expect(await command('feed')).toMatchObject({
      enabled: true,
      rules: { cooldown: { seconds: 5, uses: 1 } },
    });
  });

  it('200: another prefix, globally and for one command', async () => {
    expect(
      (await write({ prefix: '?', commands: [{ name: 'feed', customPrefix: '~' }] })).body,
    ).toMatchObject({ prefix: '?' });
    await until(async () => (await say(`<@${bot.sandbox.world.bot.id}> feed`))?.includes('Usage') ?? false);
    await until(() => {
      bot.sandbox.users.say('grace', 'general', '~feed dog');
      return last() === 'prefix feeds {"animal":"dog"}';
    });
    const pongs = () => bot.written('general').filter((text) => text.startsWith('Pong')).length;
    const before = pongs();
    bot.sandbox.users.say('grace', 'general', '!ping');
    bot.sandbox.users.say('grace', 'general', '?ping');
    await until(() => pongs() > before);
    expect(pongs()).toBe(before + 1);
  });

  it('200: subcommands one by one', async () => {
    await set('cage', { subcommands: [{ name: 'key', group: 'lost', enabled: false }] });
    await until(async () => (await say('!cage lost key 1')) === 'This command is switched off.');
    expect(await say('!cage open')).toBe('open cage open');
    expect((await command('cage')).subcommands[1]).toMatchObject({ name: 'key', enabled: false });
    await set('cage', { subcommands: [{ name: 'key', group: 'lost', enabled: true }] });
    expect((await command('cage')).subcommands[1]).toMatchObject({ enabled: true });
  });

  it('200: a cooldown is told with its wait, and counts no refused call', async () => {
    await set('feed', { rules: { cooldown: { seconds: 60, uses: 2, scope: 'user' } } });
    await until(async () => (await say('!feed cat'))?.startsWith('Please wait') ?? false);
    expect(last()).toMatch(/^Please wait \d+ seconds before/);
    expect(await say('!feed cat', 'ada')).toContain('feeds');
    bot.clock.advance(60_000);
    expect(await say('!feed cat')).toContain('feeds');
  });

  it.each([
    [{ prefix: '/' }, '/prefix'],
    [{ prefix: ' !' }, '/prefix'],
    [{ commands: [{ name: 'nothing' }] }, '/commands/0/name'],
    [{ commands: [{ name: 'feed', colour: 'red' }] }, '/commands/0/colour'],
    [{ commands: [{ name: 'feed', customPrefix: '@' }] }, '/commands/0/customPrefix'],
    [{ commands: [{ name: 'feed', rules: { allowUsers: ['ada'] } }] }, '/commands/0/rules/allowUsers/0'],
    [{ commands: [{ name: 'feed', rules: { permissions: ['Fly'] } }] }, '/commands/0/rules/permissions/0'],
    [
      { commands: [{ name: 'feed', rules: { cooldown: { seconds: 0, uses: 1, scope: 'user' } } }] },
      '/commands/0/rules/cooldown/seconds',
    ],
    [
      { commands: [{ name: 'cage', subcommands: [{ name: 'key', enabled: true }] }] },
      '/commands/0/subcommands/0/name',
    ],
  ])('422 %j: all or nothing', async (body: object, pointer: string) => {
    const before = await list();
    const response = await write({ prefix: '%', ...body });
    expect([response.status, response.body.errors?.[0]?.pointer]).toEqual([422, pointer]);
    expect(await list()).toEqual(before);
  });
});
