import { beforeAll, describe, expect, it } from '@jest/globals';
import { moduleCode, startModulesBot } from '../support/bot-modules.js';
import type { ModulesBot } from '../support/bot-modules.js';
import { cliWith, goingCli } from '../support/cli.js';
import type { Cli } from '../support/cli.js';
import { until } from '../support/embedded-postgres-kit.js';
import { gateTo } from '../support/process.js';

/** For tests that start process after process, on a machine that is busy. */
const PATIENCE_MS = 120_000;

let bot: ModulesBot;
let cli: Cli;

beforeAll(async () => {
  bot = await startModulesBot({
    shy: moduleCode('shy', `setup() { throw new Error('not today'); }`),
    spare: moduleCode('spare', ''),
  });
  cli = cliWith({ LICENSING_URL: bot.url, LICENSING_API_KEY: bot.apiKey });
});

/** Lines of the bot's console, stored as the process that runs it stores them. */
const logged = async (...messages: string[]) => {
  const lines = messages.map((message) => ({ time: '2026-01-15T12:00:00Z', level: 1, message }));
  await bot.sql('select append_bot_log($1)', [JSON.stringify(lines)]);
};
/** An API key with just this scope. */
const issue = async (scope: string) => {
  const { data } = await bot.graphql(
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { plain record { keyId } } }',
    { input: { name: scope, scopes: [scope] } },
  );
  return data.createApiKey as { plain: string; record: { keyId: string } };
};
const numbered = (text: string) => [...text.matchAll(/line (\d+)/g)].map(([, n]) => Number(n));

describe('bot start, stop, restart, status', () => {
  it(
    'status --strict is 1 while it is stopped, and shows the status all the same',
    async () => {
      const { exitCode, stdout, stderr } = await cli('bot', 'status', '--strict');
      expect([exitCode, stderr]).toEqual([1, 'Error: The bot is stopped.\n']);
      expect(stdout).toMatch(/^State {7}stopped since .*\nUptime {6}–\n/);
    },
    PATIENCE_MS,
  );

  it(
    'they say whether they have changed anything',
    async () => {
      expect(await cli('bot', 'start')).toEqual({
        exitCode: 0,
        stdout: 'The bot is connected.\n',
        stderr: '',
      });
      expect((await cli('bot', 'start')).stdout).toBe('The bot was connected already.\n');
      expect(JSON.parse((await cli('bot', 'restart', '--json')).stdout)).toEqual({ changed: true });
      expect(bot.sandbox.gateway.connections).toBe(1);
    },
    PATIENCE_MS,
  );

  it(
    'status tells who it is, and where',
    async () => {
      const { exitCode, stdout } = await cli('bot', 'status', '--strict');
      expect(exitCode).toBe(0);
      const { world } = bot.sandbox;
      expect(stdout).toMatch(/^State {7}running since 2026-01-15 12:00:00Z$/m);
      expect(stdout).toContain(
        `Bot         sandbox-bot (${world.bot.id})\nServer      Sandbox (${world.guild.id})\n`,
      );
      expect(stdout).toMatch(
        /^Modules {5}6 loaded, 0 failed\nLicense {5}No license key configured\nLast error {2}–$/m,
      );
    },
    PATIENCE_MS,
  );

  it(
    '1 with the reason when it cannot start',
    async () => {
      expect((await cli('bot', 'stop')).stdout).toBe('The bot is stopped.\n');
      bot.sandbox.faults.closeOnIdentify = 4014;
      const { exitCode, stderr } = await cli('bot', 'start');
      bot.sandbox.faults.clear();
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('PLATFORM_INTENTS_DISALLOWED')]);
      expect((await cli('bot', 'status')).stdout).toContain(
        'Last error  PLATFORM_INTENTS_DISALLOWED at 2026-',
      );
    },
    PATIENCE_MS,
  );

  it(
    '1 with a key that may only look',
    async () => {
      const eyes = cliWith({ LICENSING_URL: bot.url, LICENSING_API_KEY: (await issue('bot:read')).plain });
      const { exitCode, stderr } = await eyes('bot', 'start');
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('INSUFFICIENT_SCOPE')]);
    },
    PATIENCE_MS,
  );
});

describe('bot sync', () => {
  it(
    '1 BOT_NOT_RUNNING while it is stopped; else it registers the commands',
    async () => {
      await bot.post('stop');
      const refused = await cli('bot', 'sync');
      expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('BOT_NOT_RUNNING')]);
      await bot.post('start');
      const { stdout } = await cli('bot', 'sync');
      expect(stdout).toMatch(/^\d+ slash commands are registered on every server(, as before)?\.\n$/);
      const synced = JSON.parse((await cli('bot', 'sync', '--json')).stdout) as { registered: number };
      expect(synced).toMatchObject({ scope: 'global', unchanged: true });
      expect(bot.sandbox.world.commands.get('global')).toHaveLength(synced.registered);
    },
    PATIENCE_MS,
  );
});

describe('bot modules', () => {
  it(
    'shows them',
    async () => {
      const { stdout } = await cli('bot', 'modules');
      expect(stdout).toMatch(/^ID +NAME +VERSION +STATE +ERROR$/m);
      expect(stdout).toMatch(/^utility +Utility +1\.0\.0 +enabled +–$/m);
    },
    PATIENCE_MS,
  );

  it(
    'enable and disable; 1 when its code throws',
    async () => {
      expect((await cli('bot', 'modules', 'enable', 'spare')).stdout).toBe('The module spare is enabled.\n');
      expect((await bot.toggle('spare', true)).body).toMatchObject({ changed: false });
      expect((await cli('bot', 'modules', 'disable', 'spare')).stdout).toBe(
        'The module spare is disabled.\n',
      );
      expect(await bot.module('spare')).toMatchObject({ enabled: false, state: 'disabled' });
      const shy = await cli('bot', 'modules', 'enable', 'shy');
      expect([shy.exitCode, shy.stderr]).toEqual([1, expect.stringContaining('not today')]);
      expect((await cli('bot', 'modules', 'list')).stdout).toMatch(/^shy +shy +1\.0\.0 +failed +not today/m);
    },
    PATIENCE_MS,
  );
});

describe('bot logs', () => {
  it(
    'shows the latest lines, or all behind one',
    async () => {
      await logged('line 1', 'line 2\nand more', 'line 3\u001b[2J');
      const { stdout } = await cli('bot', 'logs', '--lines', '3');
      expect(stdout).toBe(
        ['line 1', 'line 2\n  and more', 'line 3\ufffd[2J']
          .map((message) => `2026-01-15 12:00:00Z  info   ${message}\n`)
          .join(''),
      );
      const [first] = JSON.parse((await cli('bot', 'logs', '--lines', '3', '--json')).stdout) as {
        id: number;
      }[];
      await logged(...Array.from({ length: 501 }, (_, n) => `line ${n + 4}`));
      const all = await cli('bot', 'logs', '--after', String(first?.id));
      expect(numbered(all.stdout)).toEqual(Array.from({ length: 503 }, (_, n) => n + 2));
      expect((await cli('bot', 'logs', '--level', 'error', '--json')).stdout).toContain('not today');
    },
    PATIENCE_MS,
  );

  it(
    '2 for more lines than there are in a page',
    async () => {
      const { exitCode, stderr } = await cli('bot', 'logs', '--lines', '501');
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('It must be at most 500.')]);
    },
    PATIENCE_MS,
  );

  it(
    '--follow goes on behind a connection that broke, without a gap or a repeat; Ctrl-C ends it',
    async () => {
      const gate = await gateTo(bot.url);
      await gate.open();
      const env = { LICENSING_URL: gate.url.replace(/\/$/, ''), LICENSING_API_KEY: bot.apiKey };
      await logged('line 900');
      const tail = goingCli(env, 'bot', 'logs', '--follow', '--lines', '1');
      const upTo = (n: number) => until(() => numbered(tail.stdout()).includes(n));
      await upTo(900);
      await logged('line 901', 'line 902');
      await upTo(902);
      await gate.shut();
      await logged('line 903');
      await until(() => tail.stderr().includes('trying again'));
      await logged('line 904');
      await gate.open();
      await upTo(904);
      await logged('line 905');
      await upTo(905);
      tail.child.kill('SIGINT');
      expect(await tail.exit()).toBe(0);
      expect(numbered(tail.stdout())).toEqual([900, 901, 902, 903, 904, 905]);
    },
    PATIENCE_MS,
  );

  it(
    '--follow --json writes a line of JSON each; 1 when its key is revoked',
    async () => {
      const { plain, record } = await issue('bot:read');
      const gate = await gateTo(bot.url);
      await gate.open();
      const env = { LICENSING_URL: gate.url.replace(/\/$/, ''), LICENSING_API_KEY: plain };
      const tail = goingCli(env, 'bot', 'logs', '--follow', '--lines', '0', '--json');
      await until(async () => {
        await logged('line 950');
        return tail.stdout() !== '';
      });
      const [line = ''] = tail.stdout().split('\n');
      expect(JSON.parse(line)).toEqual({
        ...{ id: expect.any(Number), time: '2026-01-15T12:00:00.000Z', level: 'info', message: 'line 950' },
      });
      await bot.graphql('mutation ($id: String!) { revokeApiKey(keyId: $id) { keyId } }', {
        id: record.keyId,
      });
      await gate.shut();
      await gate.open();
      expect(await tail.exit()).toBe(1);
    },
    PATIENCE_MS,
  );
});
