import { Field, Float, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { JsonScalar } from '../../platform/graphql/scalars.js';
import type { CooldownScope } from './command-access.rules.js';
import type { OptionType } from './command.rules.js';
import type { PermissionName } from './permission.rules.js';

export enum CooldownScopeEnum {
  user = 'user',
  channel = 'channel',
  guild = 'guild',
  global = 'global',
}
registerEnumType(CooldownScopeEnum, {
  name: 'BotCooldownScope',
  description: 'Who shares one count of uses.',
});

@ObjectType('BotCooldown', {
  simpleResolvers: true,
  description: 'So many uses within any so many seconds.',
})
export class CooldownObject {
  @Field(() => Int)
  seconds!: number;

  @Field(() => Int)
  uses!: number;

  @Field(() => CooldownScopeEnum)
  scope!: CooldownScope;
}

@ObjectType('BotCommandRules', {
  simpleResolvers: true,
  description:
    'Who may call a command, and where. Empty lists restrict nothing; a denial beats whatever allows.',
})
export class CommandRulesObject {
  @Field(() => CooldownObject, { nullable: true })
  cooldown!: CooldownObject | null;

  @Field(() => [String])
  allowRoles!: string[];

  @Field(() => [String])
  denyRoles!: string[];

  @Field(() => [String])
  allowChannels!: string[];

  @Field(() => [String])
  denyChannels!: string[];

  @Field(() => [String])
  allowUsers!: string[];

  @Field(() => [String])
  denyUsers!: string[];

  @Field(() => [String], { description: 'All of them are needed.' })
  permissions!: PermissionName[];

  @Field(() => Boolean, { description: 'Answers to slash calls are seen by the caller alone.' })
  ephemeral!: boolean;

  @Field(() => String, { nullable: true, description: 'Told in place of the reason.' })
  denyMessage!: string | null;
}

@ObjectType('BotCommandChoice', { simpleResolvers: true })
export class CommandChoiceObject {
  @Field(() => String)
  name!: string;

  @Field(() => JsonScalar, { description: 'Text or a number.' })
  value!: string | number;
}

@ObjectType('BotCommandOption', { simpleResolvers: true })
export class CommandOptionObject {
  @Field(() => String)
  name!: string;

  @Field(() => String)
  description!: string;

  @Field(() => String, { description: 'string, integer, number, boolean, user, channel or role.' })
  type!: OptionType;

  @Field(() => Boolean)
  required!: boolean;

  @Field(() => [CommandChoiceObject], { description: 'Nothing else is taken; empty: anything is.' })
  choices!: CommandChoiceObject[];

  @Field(() => Float, { nullable: true })
  min!: number | null;

  @Field(() => Float, { nullable: true })
  max!: number | null;
}

@ObjectType('BotSubcommand', { simpleResolvers: true })
export class SubcommandObject {
  @Field(() => String)
  name!: string;

  @Field(() => String)
  description!: string;

  @Field(() => String, { nullable: true })
  group!: string | null;

  @Field(() => Boolean)
  enabled!: boolean;

  @Field(() => [CommandOptionObject])
  options!: CommandOptionObject[];
}

@ObjectType('BotCommand', {
  simpleResolvers: true,
  description: 'A command as it stands: what its module declares, with what was set over it.',
})
export class CommandObject {
  @Field(() => String)
  name!: string;

  @Field(() => String)
  description!: string;

  @Field(() => String, { description: 'Id of the module.' })
  module!: string;

  @Field(() => Boolean)
  enabled!: boolean;

  @Field(() => Boolean)
  slash!: boolean;

  @Field(() => Boolean)
  prefix!: boolean;

  @Field(() => Boolean)
  mention!: boolean;

  @Field(() => String, { description: 'Replaces the global prefix; empty: it does not.' })
  customPrefix!: string;

  @Field(() => [CommandOptionObject])
  options!: CommandOptionObject[];

  @Field(() => [SubcommandObject])
  subcommands!: SubcommandObject[];

  @Field(() => CommandRulesObject)
  rules!: CommandRulesObject;
}

@ObjectType('BotCommands', { simpleResolvers: true })
export class CommandsObject {
  @Field(() => String, { description: 'The global one.' })
  prefix!: string;

  @Field(() => [CommandObject])
  commands!: CommandObject[];
}

@ObjectType('BotCommandsWritten', { simpleResolvers: true })
export class CommandsWrittenObject extends CommandsObject {
  @Field(() => Boolean)
  success!: boolean;

  @Field(() => Boolean, { description: 'The platform has other slash commands than these.' })
  syncRequired!: boolean;
}

@ObjectType('BotSyncedCommand', { simpleResolvers: true })
export class SyncedCommandObject {
  @Field(() => String)
  name!: string;

  @Field(() => String, { description: 'The id that the platform gave it.' })
  id!: string;
}

@ObjectType('BotCommandsSynced', { simpleResolvers: true })
export class CommandsSyncedObject {
  @Field(() => Boolean)
  success!: boolean;

  @Field(() => Int)
  registered!: number;

  @Field(() => String, { description: 'guild or global.' })
  scope!: string;

  @Field(() => Boolean, { description: 'The platform had the same before.' })
  unchanged!: boolean;

  @Field(() => [SyncedCommandObject])
  commands!: SyncedCommandObject[];
}

@InputType('BotCooldownInput')
export class CooldownInput {
  @Field(() => Int, { description: '1–86400.' })
  seconds!: number;

  @Field(() => Int, { description: '1–1000.' })
  uses!: number;

  @Field(() => CooldownScopeEnum)
  scope!: CooldownScope;
}

@InputType('BotCommandRulesInput', {
  description: 'Absent stays; null goes back to what the module declares.',
})
export class CommandRulesInput {
  @Field(() => CooldownInput, { nullable: true })
  cooldown?: CooldownInput | null;

  @Field(() => [String], { nullable: true })
  allowRoles?: string[] | null;

  @Field(() => [String], { nullable: true })
  denyRoles?: string[] | null;

  @Field(() => [String], { nullable: true })
  allowChannels?: string[] | null;

  @Field(() => [String], { nullable: true })
  denyChannels?: string[] | null;

  @Field(() => [String], { nullable: true })
  allowUsers?: string[] | null;

  @Field(() => [String], { nullable: true })
  denyUsers?: string[] | null;

  @Field(() => [String], { nullable: true })
  permissions?: PermissionName[] | null;

  @Field(() => Boolean, { nullable: true })
  ephemeral?: boolean | null;

  @Field(() => String, { nullable: true })
  denyMessage?: string | null;
}

@InputType('BotSubcommandInput')
export class SubcommandInput {
  @Field(() => String)
  name!: string;

  @Field(() => String, { nullable: true })
  group?: string | null;

  @Field(() => Boolean)
  enabled!: boolean;
}

@InputType('BotCommandInput', { description: 'Absent stays; null goes back to what the module declares.' })
export class CommandInput {
  @Field(() => String)
  name!: string;

  @Field(() => Boolean, { nullable: true })
  enabled?: boolean | null;

  @Field(() => Boolean, { nullable: true })
  slash?: boolean | null;

  @Field(() => Boolean, { nullable: true })
  prefix?: boolean | null;

  @Field(() => Boolean, { nullable: true })
  mention?: boolean | null;

  @Field(() => String, { nullable: true, description: 'Empty: the global one.' })
  customPrefix?: string | null;

  @Field(() => [SubcommandInput], { nullable: true })
  subcommands?: SubcommandInput[] | null;

  @Field(() => CommandRulesInput, { nullable: true })
  rules?: CommandRulesInput | null;
}
