import { beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningBotRole } from '../../src/bot/holder/run-bot.js';
import { activityOf } from '../support/activity.js';
import { startApp } from '../support/app.js';
import { moduleCode, startModulesBot } from '../support/bot-modules.js';
import type { ModulesBot } from '../support/bot-modules.js';
import { startRole } from '../support/bot.js';
import { until } from '../support/embedded-postgres-kit.js';

const CODE = moduleCode(
  'zoo',
  `enabledByDefault: true,
  commands: [
    { name: 'feed', description: 'Feeds', run: (call) => call.reply('fed') },
    { name: 'cage', description: 'Cages', run: (call) => call.reply('caged') },
  ]`,
);

let bot: ModulesBot;
let role: RunningBotRole;
const sync = () => bot.bot('POST', '/api/commands/sync');
/** Where the commands were registered last. */
const synced = async () => {
  const [row] = await bot.sql<{ scope: string | null }>(
    'select synced_scope as scope from bot_command_settings',
  );
  return row?.scope;
};
const stored = () => bot.sandbox.world.commands.get('global');
const registered = () => stored()?.map(({ name }) => name);
const slash = async (name: string) => {
  const interaction = bot.sandbox.users.slash('grace', 'general', name);
  await until(() => interaction.message !== undefined);
  return interaction.message?.['content'];
};

beforeAll(async () => {
  bot = await startModulesBot({ zoo: CODE });
  ({ role } = bot);
  await bot.post('start');
});

describe('the start of the bot', () => {
  it('registers the commands, and asks nothing of the platform the next time', async () => {
    await until(() => registered()?.includes('feed') ?? false);
    const before = JSON.stringify(stored());
    await until(
      async () =>
        (await bot.sql('select from bot_command_settings where synced_hash is not null')).length === 1,
    );
    await bot.post('restart');
    expect(await slash('feed')).toBe('fed');
    expect(JSON.stringify(stored())).toBe(before);
  });

  it('registers them anew when they have changed meanwhile', async () => {
    await bot.post('stop');
    await bot.bot('POST', '/api/commands', { commands: [{ name: 'feed', slash: false }] });
    await bot.post('start');
    await until(() => registered()?.includes('feed') === false);
    await bot.bot('POST', '/api/commands', { commands: [{ name: 'feed', slash: true }] });
  });
});

describe('POST /api/commands/sync', () => {
  it('200: one PUT with what there is now; unchanged when it was the same', async () => {
    await bot.bot('POST', '/api/commands', { commands: [{ name: 'feed', slash: false }] });
    await sync();
    await bot.bot('POST', '/api/commands', { commands: [{ name: 'feed', slash: null }] });
    const response = await sync();
    expect([response.status, response.body]).toMatchObject([
      200,
      { success: true, scope: 'global', unchanged: false, registered: registered()?.length },
    ]);
    expect(response.body.commands[0]).toEqual({ name: 'cage', id: stored()?.[0]?.['id'] });
    expect(await activityOf(bot, response)).toMatchObject([
      { event: 'bot.commands.synced', actor: 'auth_secret' },
    ]);
    expect((await sync()).body).toMatchObject({ unchanged: true });
  });

  it('200: commands of a disabled module are not registered, and a call tells why', async () => {
    await bot.toggle('zoo', false);
    expect((await sync()).status).toBe(200);
    expect(registered()).not.toContain('cage');
    expect(await slash('cage')).toBe('This command is switched off.');
    await bot.toggle('zoo', true);
    expect((await bot.bot('POST', '/api/commands', {})).body).toMatchObject({ syncRequired: true });
  });

  it('200 in the one server that the bot is for; what was registered elsewhere before is taken back', async () => {
    const { guild, commands } = bot.sandbox.world;
    const { id } = guild;
    await sync();
    expect(stored()).not.toEqual([]);
    const platform = { BOT_TOKEN: bot.sandbox.token, BOT_PLATFORM_URL: bot.sandbox.apiUrl };
    const moveTo = async (env: Record<string, string>) => {
      const app = await startApp({ databaseUrl: bot.databaseUrl, env: { ...platform, ...env } });
      await role.stop();
      role = await startRole(app);
    };
    await moveTo({ BOT_GUILD_ID: id });
    // By itself, with the start.
    await until(() => stored()?.length === 0);
    expect(commands.get(id)).not.toEqual([]);
    await until(async () => (await synced()) === id);
    expect((await sync()).body).toMatchObject({ scope: 'guild', registered: commands.get(id)?.length });

    // A server that the bot has left can't be tidied up, and needn't be.
    bot.sandbox.faults.onRest(`PUT /applications/${bot.sandbox.world.application.id}/guilds/${id}`, {
      status: 403,
      body: { message: 'Missing Access', code: 50_001 },
    });
    await moveTo({});
    await until(() => stored()?.length !== 0);
    await until(async () => (await synced()) === 'global');
    expect(commands.get(id)).not.toEqual([]);
    bot.sandbox.faults.clear();
  });

  it('502 PLATFORM_REJECTED with what the platform says', async () => {
    const errors = { 0: { name: { _errors: [{ code: 'BAD', message: 'Bad name' }] } } };
    const body = { code: 50_035, message: 'Invalid Form Body', errors };
    bot.sandbox.faults.onRest('PUT /applications', { status: 400, body });
    const response = await sync();
    bot.sandbox.faults.clear();
    expect([response.status, response.body.code]).toEqual([502, 'PLATFORM_REJECTED']);
    expect(response.body.errors).toEqual([{ pointer: '/0/name', code: 'BAD', detail: 'Bad name' }]);
  });

  it('409 BOT_NOT_RUNNING while the bot is stopped; 503 BOT_UNAVAILABLE when no process runs it', async () => {
    await bot.post('stop');
    const response = await sync();
    expect([response.status, response.body.code]).toEqual([409, 'BOT_NOT_RUNNING']);
    await role.stop();
    expect((await sync()).body.code).toBe('BOT_UNAVAILABLE');
  });
});
