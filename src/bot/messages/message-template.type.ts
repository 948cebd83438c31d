import { Field, ObjectType } from 'type-graphql';
import { JsonObjectScalar } from '../../platform/graphql/scalars.js';

@ObjectType('BotMessageTemplate', {
  simpleResolvers: true,
  description: 'A saved message. Its texts may hold {user}, {server}, {channel} and {date}.',
})
export class MessageTemplateObject {
  @Field(() => String)
  id!: string;

  @Field(() => String, { description: 'Unique.' })
  name!: string;

  @Field(() => String, { nullable: true })
  channel!: string | null;

  @Field(() => String, { nullable: true })
  content!: string | null;

  @Field(() => JsonObjectScalar, { nullable: true, description: 'As it was written.' })
  embed!: Record<string, unknown> | null;

  @Field(() => [JsonObjectScalar], { description: 'As they were written.' })
  buttons!: Record<string, unknown>[];

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@ObjectType('BotMessageTemplateWritten', { simpleResolvers: true })
export class MessageTemplateWrittenObject extends MessageTemplateObject {
  @Field(() => Boolean)
  success!: boolean;

  @Field(() => Boolean)
  isNew!: boolean;
}

@ObjectType('BotDone', { simpleResolvers: true })
export class BotDoneObject {
  @Field(() => Boolean)
  success!: boolean;
}
