/**
 * The platform's permissions by name, each with its bit. Kept here, since a process that runs no bot loads no client;
 * a test compares them with the client's own.
 */
export const PERMISSION_BITS = {
  CreateInstantInvite: 0,
  KickMembers: 1,
  BanMembers: 2,
  Administrator: 3,
  ManageChannels: 4,
  ManageGuild: 5,
  AddReactions: 6,
  ViewAuditLog: 7,
  PrioritySpeaker: 8,
  Stream: 9,
  ViewChannel: 10,
  SendMessages: 11,
  SendTTSMessages: 12,
  ManageMessages: 13,
  EmbedLinks: 14,
  AttachFiles: 15,
  ReadMessageHistory: 16,
  MentionEveryone: 17,
  UseExternalEmojis: 18,
  ViewGuildInsights: 19,
  Connect: 20,
  Speak: 21,
  MuteMembers: 22,
  DeafenMembers: 23,
  MoveMembers: 24,
  UseVAD: 25,
  ChangeNickname: 26,
  ManageNicknames: 27,
  ManageRoles: 28,
  ManageWebhooks: 29,
  ManageGuildExpressions: 30,
  UseApplicationCommands: 31,
  RequestToSpeak: 32,
  ManageEvents: 33,
  ManageThreads: 34,
  CreatePublicThreads: 35,
  CreatePrivateThreads: 36,
  UseExternalStickers: 37,
  SendMessagesInThreads: 38,
  UseEmbeddedActivities: 39,
  ModerateMembers: 40,
} as const;

export type PermissionName = keyof typeof PERMISSION_BITS;

export const PERMISSION_NAMES = Object.keys(PERMISSION_BITS) as readonly PermissionName[];

/** Whether a bit field of permissions grants one; administrators may everything. */
export function grants(permissions: bigint, name: PermissionName): boolean {
  const bit = (permission: PermissionName) => 1n << BigInt(PERMISSION_BITS[permission]);
  return (permissions & (bit(name) | bit('Administrator'))) !== 0n;
}
