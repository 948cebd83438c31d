import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { Access, OwnTransaction } from '../../platform/graphql/access.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { setProfile } from './profile.service.js';
import { BotProfileInput, BotProfileSetObject } from './profile.type.js';

@Resolver()
export class BotProfileResolver {
  @Access('bot:write')
  @OwnTransaction()
  @Mutation(() => BotProfileSetObject, {
    description: "Changes the bot's name or avatar; it must be running.",
  })
  async setBotProfile(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => BotProfileInput) input: BotProfileInput,
  ) {
    return { success: true, ...(await setProfile(ctx.em, ctx, input)) };
  }
}
