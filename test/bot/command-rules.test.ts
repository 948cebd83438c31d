import { describe, expect, it } from '@jest/globals';
import { PermissionFlagsBits } from 'discord.js';
import fc from 'fast-check';
import { NO_RULES, TRIGGERS, judgeCommand } from '../../src/bot/commands/command-access.rules.js';
import type { Attempt, CommandRules, CommandStanding } from '../../src/bot/commands/command-access.rules.js';
import { takeUse } from '../../src/bot/commands/cooldown.rules.js';
import { Cooldowns } from '../../src/bot/commands/cooldowns.js';
import { PERMISSION_BITS, PERMISSION_NAMES, grants } from '../../src/bot/commands/permission.rules.js';

const IDS = ['100000000000000001', '100000000000000002', '100000000000000003', '100000000000000004'];
const ids = fc.subarray(IDS);

const rules: fc.Arbitrary<CommandRules> = fc.record({
  ...{
    allowRoles: ids,
    denyRoles: ids,
    allowChannels: ids,
    denyChannels: ids,
    allowUsers: ids,
    denyUsers: ids,
  },
  cooldown: fc.constant({ seconds: 10, uses: 1, scope: 'user' as const }),
  permissions: fc.subarray(['ManageGuild', 'KickMembers'] as const),
  ephemeral: fc.boolean(),
  denyMessage: fc.option(fc.constant('Not for you.')),
});
const standing: fc.Arbitrary<CommandStanding> = fc.record({
  ...{ moduleEnabled: fc.boolean(), enabled: fc.boolean(), rules },
  ...{ slash: fc.boolean(), prefix: fc.boolean(), mention: fc.boolean() },
});
const attempt: fc.Arbitrary<Attempt> = fc.record({
  trigger: fc.constantFrom(...TRIGGERS),
  userId: fc.constantFrom(...IDS),
  guildId: fc.constant('200000000000000001'),
  roleIds: ids,
  channelIds: fc.subarray(IDS, { minLength: 1 }),
  permissions: fc.constantFrom(0n, 1n << 5n, (1n << 5n) | (1n << 1n), 1n << 3n),
  isOwner: fc.boolean(),
});
const free = () => 0;
const busy = () => 1;
const meet = (one: readonly string[], other: readonly string[]) => one.some((id) => other.includes(id));

describe('who may call a command', () => {
  it('deny wins, whatever is allowed', () => {
    fc.assert(
      fc.property(standing, attempt, (command, by) => {
        const { denyUsers, denyRoles, denyChannels } = command.rules;
        const isDenied =
          denyUsers.includes(by.userId) || meet(denyRoles, by.roleIds) || meet(denyChannels, by.channelIds);
        fc.pre(isDenied && !by.isOwner);
        expect(judgeCommand(command, by, free)).toBeDefined();
        const all = { ...NO_RULES, denyUsers, denyRoles, denyChannels, allowUsers: IDS, allowRoles: IDS };
        const open = {
          moduleEnabled: true,
          enabled: true,
          slash: true,
          prefix: true,
          mention: true,
          rules: all,
        };
        expect(judgeCommand(open, { ...by, permissions: 1n << 3n }, free)?.code).toBe('DENIED');
      }),
    );
  });

  it('an owner is refused only what has no code to run', () => {
    fc.assert(
      fc.property(standing, attempt, (command, by) => {
        const refusal = judgeCommand(command, { ...by, isOwner: true }, busy);
        expect(refusal?.code).toBe(command.moduleEnabled ? undefined : 'MODULE_DISABLED');
      }),
    );
  });

  it('the first reason in the decided order is the one that is told', () => {
    const ORDER = [
      ...['MODULE_DISABLED', 'COMMAND_DISABLED', 'TRIGGER_DISABLED', 'DENIED', 'NOT_ALLOWED'],
      ...['PERMISSION_MISSING', 'COOLDOWN'],
    ];
    fc.assert(
      fc.property(standing, attempt, (command, by) => {
        const { rules: given } = command;
        const { allowUsers, allowRoles, allowChannels } = given;
        const people = [...allowUsers, ...allowRoles];
        const reasons = [
          ['MODULE_DISABLED', !command.moduleEnabled],
          ['COMMAND_DISABLED', !command.enabled],
          ['TRIGGER_DISABLED', !command[by.trigger]],
          [
            'DENIED',
            given.denyUsers.includes(by.userId) ||
              meet(given.denyRoles, by.roleIds) ||
              meet(given.denyChannels, by.channelIds),
          ],
          [
            'NOT_ALLOWED',
            (allowChannels.length > 0 && !meet(allowChannels, by.channelIds)) ||
              (people.length > 0 && !allowUsers.includes(by.userId) && !meet(allowRoles, by.roleIds)),
          ],
          ['PERMISSION_MISSING', given.permissions.some((name) => !grants(by.permissions, name))],
          ['COOLDOWN', true],
        ] as const;
        const first = reasons.find(([, holds]) => holds)?.[0];
        expect(reasons.map(([code]) => code)).toEqual(ORDER);
        expect(judgeCommand(command, { ...by, isOwner: false }, busy)?.code).toBe(first);
      }),
    );
  });

  it('a refused call uses up nothing of the cooldown', () => {
    fc.assert(
      fc.property(standing, attempt, (command, by) => {
        let asked = 0;
        const refusal = judgeCommand(command, by, () => {
          asked += 1;
          return 0;
        });
        expect(asked).toBe(refusal || by.isOwner ? 0 : 1);
      }),
    );
  });

  it('a denyMessage is told in place of the reason', () => {
    const command = { moduleEnabled: true, enabled: true, slash: true, prefix: true, mention: true };
    const denied = { ...command, rules: { ...NO_RULES, denyUsers: IDS, denyMessage: 'Go away.' } };
    const by = {
      trigger: 'slash',
      userId: IDS[0] ?? '',
      guildId: null,
      roleIds: [],
      channelIds: [],
    } as const;
    expect(judgeCommand(denied, { ...by, permissions: 0n, isOwner: false }, free)?.message).toBe('Go away.');
  });

  it('permissions are those of the platform', () => {
    const known = PermissionFlagsBits as Readonly<Record<string, bigint>>;
    expect(PERMISSION_NAMES.map((name) => known[name])).toEqual(
      PERMISSION_NAMES.map((name) => 1n << BigInt(PERMISSION_BITS[name])),
    );
  });
});

describe('cooldowns', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 60 });
  const limit = fc.record({
    seconds: fc.integer({ min: 1, max: 20 }),
    uses: fc.integer({ min: 1, max: 4 }),
    scope: fc.constant('user' as const),
  });

  it('never let more through than within any window, and let through whoever has waited as told', () => {
    fc.assert(
      fc.property(limit, steps, (cooldown, waits) => {
        let [now, uses] = [1_000_000, [] as readonly number[]];
        const taken: number[] = [];
        for (const wait of waits) {
          now += wait;
          const result = takeUse(uses, cooldown, now);
          uses = result.uses;
          if (result.waitMs === 0) taken.push(now);
          else expect(takeUse(uses, cooldown, now + result.waitMs).waitMs).toBe(0);
        }
        for (const at of taken) {
          const within = taken.filter((other) => other >= at && other < at + cooldown.seconds * 1000);
          expect(within.length).toBeLessThanOrEqual(cooldown.uses);
        }
      }),
    );
  });

  it.each([
    ['user', [0, 1, 0, 1]],
    ['channel', [0, 0, 1, 1]],
    ['guild', [0, 1, 1, 1]],
    ['global', [0, 1, 1, 1]],
  ] as const)('scope %s: who shares one count', (scope, refused) => {
    const cooldowns = new Cooldowns();
    const at = (userId: string, channelId: string) => ({ command: 'x', userId, channelId, guildId: 'g' });
    const places = [at('u1', 'c1'), at('u1', 'c2'), at('u2', 'c1'), at('u1', 'c1')];
    const waits = places.map((place) => cooldowns.take(place, { seconds: 9, uses: 1, scope }, 5_000));
    expect(waits.map((wait) => (wait > 0 ? 1 : 0))).toEqual(refused);
  });
});
