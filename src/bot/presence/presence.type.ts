import { Field, InputType, Int, ObjectType } from 'type-graphql';

const TYPE = '0 Playing, 1 Streaming (with a url), 2 Listening, 3 Watching, 4 Custom, 5 Competing.';

@ObjectType('BotActivity', { simpleResolvers: true })
class BotActivityObject {
  @Field(() => String)
  name!: string;

  @Field(() => Int, { description: TYPE })
  type!: number;

  @Field(() => String, { nullable: true })
  url?: string | null;
}

@ObjectType('BotPresenceSet', { simpleResolvers: true })
export class BotPresenceSetObject {
  @Field(() => Boolean)
  success!: boolean;

  @Field(() => Boolean, { description: 'False: saved, and sent when the bot connects.' })
  applied!: boolean;

  @Field(() => String)
  status!: string;

  @Field(() => [BotActivityObject])
  activities!: BotActivityObject[];
}

@InputType()
class BotActivityInput {
  @Field(() => String, { description: '1–128 characters.' })
  name!: string;

  @Field(() => Int, { description: TYPE })
  type!: number;

  @Field(() => String, { nullable: true })
  url?: string | null;
}

@InputType()
export class BotPresenceInput {
  @Field(() => String, {
    nullable: true,
    description: 'online, idle, dnd, invisible; offline means invisible.',
  })
  status?: string | null;

  @Field(() => [BotActivityInput], { nullable: true, description: 'At most 5; [] clears.' })
  activities?: BotActivityInput[] | null;
}
