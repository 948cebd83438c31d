import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { ClientState } from '../client/client.states.js';

export enum BotState {
  stopped = 'stopped',
  starting = 'starting',
  running = 'running',
  reconnecting = 'reconnecting',
  stopping = 'stopping',
  failed = 'failed',
}
registerEnumType(BotState, { name: 'BotState', description: "What the bot's client does now." });

/** Its fields are those of the bot's slices, each in their own resolver. */
@ObjectType('Bot', { description: 'The chat bot.' })
export class BotObject {}

@ObjectType('BotLicense', { simpleResolvers: true, description: "The bot's own license." })
class BotLicenseObject {
  @Field(() => Boolean)
  activated!: boolean;

  @Field(() => String, { nullable: true, description: "Why it isn't; null when it is." })
  message!: string | null;
}

@ObjectType('BotModuleCounts', { simpleResolvers: true })
class BotModuleCountsObject {
  @Field(() => Int, { description: 'Whose code loaded.' })
  loaded!: number;

  @Field(() => Int, { description: 'Which threw when they were loaded or enabled.' })
  failed!: number;
}

@ObjectType('BotUser', {
  simpleResolvers: true,
  description: 'The last one known; null before the first login.',
})
class BotUserObject {
  @Field(() => String, { nullable: true })
  id!: string | null;

  @Field(() => String, { nullable: true })
  username!: string | null;

  @Field(() => String, { nullable: true })
  tag!: string | null;
}

@ObjectType('BotServer', {
  simpleResolvers: true,
  description: 'BOT.GUILD_ID, else the one with the lowest id.',
})
class BotServerObject {
  @Field(() => String, { nullable: true })
  id!: string | null;

  @Field(() => String, { nullable: true })
  name!: string | null;
}

@ObjectType('BotError', { simpleResolvers: true })
class BotErrorObject {
  @Field(() => String)
  code!: string;

  @Field(() => Date)
  at!: Date;
}

@ObjectType('BotStatus', { simpleResolvers: true })
export class BotStatusObject {
  @Field(() => String)
  product!: string;

  @Field(() => String)
  version!: string;

  @Field(() => Boolean, { description: 'Connected now.' })
  running!: boolean;

  @Field(() => BotLicenseObject)
  license!: BotLicenseObject;

  @Field(() => BotModuleCountsObject)
  modules!: BotModuleCountsObject;

  @Field(() => BotUserObject)
  bot!: BotUserObject;

  @Field(() => BotServerObject)
  server!: BotServerObject;

  @Field(() => BotState)
  state!: ClientState;

  @Field(() => Date, { description: 'In this state since.' })
  since!: Date;

  @Field(() => BotErrorObject, { nullable: true, description: 'The latest one, also when it is over.' })
  lastError!: BotErrorObject | null;

  @Field(() => Int, { nullable: true, description: 'Milliseconds; null while unknown.' })
  ping!: number | null;

  @Field(() => Int, { nullable: true, description: 'Seconds; null unless it runs.' })
  uptime!: number | null;

  @Field(() => Int)
  shards!: number;
}
