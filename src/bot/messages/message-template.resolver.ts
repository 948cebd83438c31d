import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Mutation, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { NameScalar } from '../../platform/graphql/scalars.js';
import { BotObject } from '../status/status.type.js';
import { deleteTemplate, listTemplates, writeTemplate } from './message-template.service.js';
import {
  BotDoneObject,
  MessageTemplateObject,
  MessageTemplateWrittenObject,
} from './message-template.type.js';
import { ButtonInput, EmbedInput } from './message.type.js';

@ArgsType()
class TemplateArgs {
  @Field(() => String, { nullable: true, description: 'Absent: a new one.' })
  id?: string | null;

  @Field(() => NameScalar, { nullable: true, description: 'Needed for a new one.' })
  name?: string | null;

  @Field(() => String, { nullable: true })
  channel?: string | null;

  @Field(() => String, { nullable: true })
  content?: string | null;

  @Field(() => EmbedInput, { nullable: true })
  embed?: EmbedInput | null;

  @Field(() => [ButtonInput], { nullable: true, description: 'At most 25.' })
  buttons?: ButtonInput[] | null;
}

@Resolver(() => BotObject)
export class MessageTemplateResolver {
  @Access('bot:read')
  @FieldResolver(() => [MessageTemplateObject], { description: 'Saved messages, by name.' })
  messageTemplates(@Ctx() ctx: RequestContext) {
    return listTemplates(ctx.em);
  }

  @Access('bot:write')
  @Mutation(() => MessageTemplateWrittenObject, {
    description: 'Creates a template; with an id that exists, changes what is given.',
  })
  async writeBotMessageTemplate(@Ctx() ctx: RequestContext, @Args(() => TemplateArgs) write: TemplateArgs) {
    return { success: true, ...(await writeTemplate(ctx.em, ctx, write)) };
  }

  @Access('bot:write')
  @Mutation(() => BotDoneObject)
  async deleteBotMessageTemplate(@Ctx() ctx: RequestContext, @Arg('id', () => String) id: string) {
    await deleteTemplate(ctx.em, ctx, id);
    return { success: true };
  }
}
