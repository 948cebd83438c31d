import { Field, InputType, ObjectType } from 'type-graphql';
import { AllowedMentionsInput, ButtonInput, EmbedInput } from '../messages/message.type.js';

@InputType()
export class SendBotMessageInput {
  @Field(() => String, { description: 'The id of a channel.' })
  channel!: string;

  @Field(() => String, { nullable: true, description: 'A saved template to start from, by id or name.' })
  template?: string | null;

  @Field(() => String, { nullable: true })
  content?: string | null;

  @Field(() => EmbedInput, { nullable: true })
  embed?: EmbedInput | null;

  @Field(() => [ButtonInput], { nullable: true, description: 'At most 25.' })
  buttons?: ButtonInput[] | null;

  @Field(() => AllowedMentionsInput, { nullable: true, description: 'Nobody is pinged when absent.' })
  allowedMentions?: AllowedMentionsInput | null;
}

@ObjectType('BotMessageSent', { simpleResolvers: true })
export class BotMessageSentObject {
  @Field(() => Boolean)
  success!: boolean;

  @Field(() => String)
  messageId!: string;

  @Field(() => String)
  channel!: string;

  @Field(() => String)
  url!: string;
}
