import { describe, expect, it } from '@jest/globals';
import { prefixProblem } from '../../src/bot/commands/command-change.rules.js';
import { effectiveCommand } from '../../src/bot/commands/command.rules.js';
import type { CommandOption } from '../../src/bot/commands/command.rules.js';
import { readCall, readOptions } from '../../src/bot/commands/command-text.rules.js';
import { registrationHash, registrationOf } from '../../src/bot/commands/registration.rules.js';

const option = (name: string, more: Partial<CommandOption> = {}): CommandOption => ({
  ...{ name, description: name, type: 'string', required: true, choices: [], min: null, max: null },
  ...more,
});

describe('messages that call a command', () => {
  const commands = [
    { name: 'help', customPrefix: '' },
    { name: 'say', customPrefix: '!!' },
    { name: 'ping', customPrefix: '' },
  ];
  const signs = { botId: '300000000000000001', prefix: '!' };

  it.each([
    ['!help', 'prefix', 'help', ''],
    ['!Help me', 'prefix', 'help', 'me'],
    ['!!say  #general hi', 'prefix', 'say', '#general hi'],
    ['<@300000000000000001> ping', 'mention', 'ping', ''],
    ['<@!300000000000000001>say hi', 'mention', 'say', 'hi'],
  ])('%s', (content, trigger, name, text) => {
    expect(readCall(content, commands, signs)).toMatchObject({ trigger, command: { name }, text });
  });

  it.each(['help', '!say hi', '! help', '!helpme', '!!help', '<@300000000000000002> help', 'so !help', '!'])(
    'not: %s',
    (content) => {
      expect(readCall(content, commands, signs)).toBeUndefined();
    },
  );

  const user = option('who', { type: 'user' });
  const days = option('days', { type: 'integer', required: false, min: 1, max: 7 });
  const reason = option('reason', { required: false });

  it.each([
    [
      '<@123456789012345678> 3 was "very" rude',
      { who: '123456789012345678', days: 3, reason: 'was "very" rude' },
    ],
    ['123456789012345678 rude', { who: '123456789012345678', reason: 'rude' }],
    ['<@!123456789012345678>', { who: '123456789012345678' }],
    ['123456789012345678 "so rude"', { who: '123456789012345678', reason: 'so rude' }],
  ])('options: %s', (text, values) => {
    expect(readOptions([user, days, reason], text)).toEqual({ values });
  });

  it.each([
    ['', '`who` is missing'],
    ['ada', '`who` must be a user; got "ada"'],
  ])('options refused: "%s"', (text, problem) => {
    expect(readOptions([user, days], text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('too much, and numbers out of range, are told', () => {
    expect(readOptions([user, days], '123456789012345678 9')).toMatchObject({
      problem: '`days` must be a whole number from 1 to 7; got "9"',
    });
    expect(readOptions([user], '123456789012345678 x')).toMatchObject({ problem: 'There is too much: "x"' });
  });
});

describe('prefixes', () => {
  it.each(['!', '?', 'bot ', ' !', '/', '@', '', 'x'.repeat(26), '/x', '🤖', 'a b'])('"%s"', (prefix) => {
    const isGood =
      prefix.trim() === prefix && prefix !== '' && !['/', '@'].includes(prefix) && prefix.length < 26;
    expect(prefixProblem(prefix) === undefined).toBe(isGood);
  });
});

describe('what is registered', () => {
  const declared = { description: 'd', slash: true, prefix: true, mention: true, rules: {} };
  const sub = (name: string, group: string | null) => ({ name, group, description: 'd', options: [] });
  const commands = [
    effectiveCommand('m', { ...declared, name: 'zoo', options: [option('a')], subcommands: [] }, undefined),
    effectiveCommand(
      'm',
      { ...declared, name: 'all', options: [], subcommands: [sub('one', null), sub('two', 'group')] },
      { ...untouched(), disabledSubcommands: ['one'] },
    ),
    effectiveCommand(
      'm',
      { ...declared, name: 'off', options: [], subcommands: [] },
      { ...untouched(), slash: false },
    ),
  ];

  it('has groups, leaves out what is switched off, and stands in order', () => {
    expect(registrationOf(commands)).toEqual([
      {
        ...{ name: 'all', description: 'd', type: 1 },
        options: [
          {
            ...{ name: 'group', description: 'group commands', type: 2 },
            options: [{ name: 'two', description: 'd', type: 1, options: [] }],
          },
        ],
      },
      {
        name: 'zoo',
        description: 'd',
        type: 1,
        options: [{ name: 'a', description: 'a', type: 3, required: true }],
      },
    ]);
  });

  it('its hash changes with the commands and the place, and with nothing else', () => {
    const [registration, other] = [registrationOf(commands), registrationOf(commands.slice(1))];
    const hash = registrationHash(registration, 'global');
    expect(registrationHash(registrationOf(commands.toReversed()), 'global')).toBe(hash);
    expect(registrationHash(other, 'global')).not.toBe(hash);
    expect(registrationHash(registration, { guildId: '1' })).not.toBe(hash);
  });
});

function untouched() {
  const none = { enabled: null, slash: null, prefix: null, mention: null, customPrefix: null };
  return { ...none, disabledSubcommands: [], rules: {} };
}
