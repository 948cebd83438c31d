import { Ctx, Mutation, Resolver } from 'type-graphql';
import { Access, OwnTransaction } from '../../platform/graphql/access.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { restartBot, startBot, stopBot } from './client.service.js';
import { BotMovedObject } from './client.type.js';

@Resolver()
export class BotClientResolver {
  @Access('bot:write')
  @OwnTransaction()
  @Mutation(() => BotMovedObject, { description: 'Connects the bot; answers when it is, or why it is not.' })
  async startBot(@Ctx() ctx: RequestContext) {
    return { success: true, ...(await startBot(ctx.em, ctx)) };
  }

  @Access('bot:write')
  @OwnTransaction()
  @Mutation(() => BotMovedObject, { description: 'Disconnects the bot, within 5 seconds.' })
  async stopBot(@Ctx() ctx: RequestContext) {
    return { success: true, ...(await stopBot(ctx.em, ctx)) };
  }

  @Access('bot:write')
  @OwnTransaction()
  @Mutation(() => BotMovedObject, { description: "Ends the bot's session and begins a new one." })
  async restartBot(@Ctx() ctx: RequestContext) {
    return { success: true, ...(await restartBot(ctx.em, ctx)) };
  }
}
