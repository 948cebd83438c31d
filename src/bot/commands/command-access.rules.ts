import type { PermissionName } from './permission.rules.js';
import { grants } from './permission.rules.js';

/** How a command can be called. */
export const TRIGGERS = ['slash', 'prefix', 'mention'] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** Who shares one count of uses. */
export const COOLDOWN_SCOPES = ['user', 'channel', 'guild', 'global'] as const;
export type CooldownScope = (typeof COOLDOWN_SCOPES)[number];

/** `uses` calls within any `seconds`. */
export interface Cooldown {
  readonly seconds: number;
  readonly uses: number;
  readonly scope: CooldownScope;
}

/** Who may call a command and where. Empty lists restrict nothing. Ids are the platform's. */
export interface CommandRules {
  readonly cooldown: Cooldown | null;
  readonly allowRoles: readonly string[];
  readonly denyRoles: readonly string[];
  readonly allowChannels: readonly string[];
  readonly denyChannels: readonly string[];
  readonly allowUsers: readonly string[];
  readonly denyUsers: readonly string[];
  /** All of them are needed. */
  readonly permissions: readonly PermissionName[];
  /** Answers to slash calls are seen by the caller alone. */
  readonly ephemeral: boolean;
  /** Told instead of the reason, when a call is refused. */
  readonly denyMessage: string | null;
}

export const NO_RULES: CommandRules = {
  cooldown: null,
  allowRoles: [],
  denyRoles: [],
  allowChannels: [],
  denyChannels: [],
  allowUsers: [],
  denyUsers: [],
  permissions: [],
  ephemeral: false,
  denyMessage: null,
};

/** A command, or a subcommand of it, as it stands now. */
export interface CommandStanding {
  readonly moduleEnabled: boolean;
  readonly enabled: boolean;
  readonly slash: boolean;
  readonly prefix: boolean;
  readonly mention: boolean;
  readonly rules: CommandRules;
}

/** Who calls, how and from where. */
export interface Attempt {
  readonly trigger: Trigger;
  readonly userId: string;
  /** Null in a direct message. */
  readonly guildId: string | null;
  /** None outside a server. */
  readonly roleIds: readonly string[];
  /** The channel; of a thread, its parent too. */
  readonly channelIds: readonly string[];
  /** A bit field: what the caller may do in the channel. */
  readonly permissions: bigint;
  /** One of the bot's owners: refused nothing that can run. */
  readonly isOwner: boolean;
}

export type RefusalCode =
  | 'MODULE_DISABLED'
  | 'COMMAND_DISABLED'
  | 'TRIGGER_DISABLED'
  | 'DENIED'
  | 'NOT_ALLOWED'
  | 'PERMISSION_MISSING'
  | 'COOLDOWN';

export interface Refusal {
  readonly code: RefusalCode;
  /** What the caller is told. */
  readonly message: string;
}

interface Check {
  readonly code: RefusalCode;
  refuses(command: CommandStanding, attempt: Attempt): boolean;
  message(command: CommandStanding, attempt: Attempt): string;
}

/** In this order; the first that refuses is what the caller is told. A denial stands before whatever allows. */
const CHECKS: readonly Check[] = [
  {
    code: 'COMMAND_DISABLED',
    refuses: ({ enabled }) => !enabled,
    message: () => 'This command is switched off.',
  },
  {
    code: 'TRIGGER_DISABLED',
    refuses: (command, { trigger }) => !command[trigger],
    message: (_command, { trigger }) => `This command can't be called by ${TRIGGER_WORDS[trigger]}.`,
  },
  {
    code: 'DENIED',
    refuses: ({ rules }, { userId, roleIds, channelIds }) =>
      rules.denyUsers.includes(userId) ||
      meet(rules.denyRoles, roleIds) ||
      meet(rules.denyChannels, channelIds),
    message: ({ rules }, { channelIds }) =>
      meet(rules.denyChannels, channelIds)
        ? "This command can't be used in this channel."
        : 'You are not allowed to use this command.',
  },
  {
    code: 'NOT_ALLOWED',
    refuses: ({ rules }, { channelIds }) =>
      rules.allowChannels.length > 0 && !meet(rules.allowChannels, channelIds),
    message: () => 'This command can only be used in other channels.',
  },
  {
    // One list of people, given in two ways: either a user's own id or one of the roles is enough.
    code: 'NOT_ALLOWED',
    refuses: ({ rules: { allowUsers, allowRoles } }, { userId, roleIds }) =>
      allowUsers.length + allowRoles.length > 0 && !allowUsers.includes(userId) && !meet(allowRoles, roleIds),
    message: () => 'You are not allowed to use this command.',
  },
  {
    code: 'PERMISSION_MISSING',
    refuses: (command, attempt) => missingPermissions(command, attempt).length > 0,
    message: (command, attempt) =>
      `You need the permission ${missingPermissions(command, attempt).join(', ')} to use this command.`,
  },
];

const TRIGGER_WORDS: Readonly<Record<Trigger, string>> = {
  slash: 'slash',
  prefix: 'prefix',
  mention: 'mentioning the bot',
};

/**
 * Why a call is refused: owner → module enabled → command enabled → trigger → deny lists → allow lists → permissions →
 * cooldown. Undefined: it may run. `waitMs` is asked last and once, since asking uses up a use of the cooldown. An
 * owner is refused only what can't run: a disabled module has no code to call.
 */
export function judgeCommand(
  command: CommandStanding,
  attempt: Attempt,
  waitMs: () => number,
): Refusal | undefined {
  if (!command.moduleEnabled) return { code: 'MODULE_DISABLED', message: 'This command is switched off.' };
  if (attempt.isOwner) return undefined;
  for (const check of CHECKS) {
    if (check.refuses(command, attempt)) {
      return { code: check.code, message: command.rules.denyMessage ?? check.message(command, attempt) };
    }
  }
  const ms = waitMs();
  if (ms <= 0) return undefined;
  return { code: 'COOLDOWN', message: `Please wait ${waitInWords(ms)} before you use this command again.` };
}

function missingPermissions({ rules }: CommandStanding, { permissions }: Attempt): PermissionName[] {
  return rules.permissions.filter((name) => !grants(permissions, name));
}

function meet(listed: readonly string[], given: readonly string[]): boolean {
  return given.some((id) => listed.includes(id));
}

function waitInWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
