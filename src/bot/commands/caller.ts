import type { ChatInputCommandInteraction, Message, User } from 'discord.js';
import type { Attempt, Trigger } from './command-access.rules.js';
import type { Invocation } from './invocation.js';

export type CallerName = Invocation['user'];

export function callerOf({ id, tag, displayName }: User): CallerName {
  return { id, tag, name: displayName };
}

/** Who runs a slash command, and from where. */
export function attemptOfInteraction(
  interaction: ChatInputCommandInteraction,
  owners: ReadonlySet<string>,
): Attempt {
  const { member, channel, channelId, guildId, user } = interaction;
  const parent = channel?.isThread() ? channel.parentId : null;
  return {
    trigger: 'slash',
    userId: user.id,
    guildId,
    roleIds: rolesOf(member),
    channelIds: parent === null ? [channelId] : [channelId, parent],
    permissions: interaction.memberPermissions?.bitfield ?? 0n,
    isOwner: owners.has(user.id),
  };
}

/** Who wrote a message, and where. */
export function attemptOfMessage(message: Message, trigger: Trigger, owners: ReadonlySet<string>): Attempt {
  const { author, channel, channelId, guildId, member } = message;
  const parent = channel.isThread() ? channel.parentId : null;
  const permissions =
    member && channel.isTextBased() && !channel.isDMBased() ? channel.permissionsFor(member) : null;
  return {
    ...{ trigger, guildId },
    userId: author.id,
    roleIds: rolesOf(member),
    channelIds: parent === null ? [channelId] : [channelId, parent],
    permissions: permissions?.bitfield ?? 0n,
    isOwner: owners.has(author.id),
  };
}

/** A member is the client's own, with a cache of roles, or as the platform sent it, with a list of ids. */
function rolesOf(member: ChatInputCommandInteraction['member'] | Message['member']): string[] {
  if (!member) return [];
  return Array.isArray(member.roles) ? member.roles : [...member.roles.cache.keys()];
}
