import type { Json } from './form.rules.js';
import type { World } from './world.js';

/**
 * A slash command's option, as a client sends it: 1 a subcommand, 2 a group of them, 3 text, 4 integer, 5 boolean,
 * 6 user, 7 channel, 8 role, 10 number.
 */
export interface CommandOption {
  readonly name: string;
  readonly type: number;
  readonly value?: unknown;
  readonly options?: readonly CommandOption[];
}

/** What the ids among options stand for, as the platform sends it along. Throws for the id of nothing. */
export function resolvedOf(world: World, options: readonly CommandOption[]): Json {
  const given = options.flatMap(withInner);
  const idsOf = (type: number) =>
    given.filter((option) => option.type === type).map(({ value }) => String(value));
  const members = idsOf(6).map((id) => [id, world.memberPayload(world.member(id))] as const);
  return {
    users: Object.fromEntries(members.map(([id, { user }]) => [id, user])),
    members: Object.fromEntries(members.map(([id, member]) => [id, { ...member, user: undefined }])),
    channels: Object.fromEntries(idsOf(7).map((id) => [id, world.channelPayload(world.channel(id))])),
    roles: Object.fromEntries(idsOf(8).map((id) => [id, world.rolePayload(world.role(id))])),
  };
}

function withInner(option: CommandOption): CommandOption[] {
  return [option, ...(option.options ?? []).flatMap(withInner)];
}
