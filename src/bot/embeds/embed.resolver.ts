import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { Access, OwnTransaction } from '../../platform/graphql/access.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { sendMessage } from './embed.service.js';
import { BotMessageSentObject, SendBotMessageInput } from './embed.type.js';

@Resolver()
export class EmbedResolver {
  @Access('bot:write')
  @OwnTransaction()
  @Mutation(() => BotMessageSentObject, {
    description: 'Sends a message to a channel; the bot must be running.',
  })
  async sendBotMessage(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => SendBotMessageInput) input: SendBotMessageInput,
  ) {
    return { success: true, ...(await sendMessage(ctx.em, ctx, input)) };
  }
}
