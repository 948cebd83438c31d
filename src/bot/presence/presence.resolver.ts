import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { Access, OwnTransaction } from '../../platform/graphql/access.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { setPresence } from './presence.service.js';
import { BotPresenceInput, BotPresenceSetObject } from './presence.type.js';

@Resolver()
export class BotPresenceResolver {
  @Access('bot:write')
  @OwnTransaction()
  @Mutation(() => BotPresenceSetObject, { description: 'Changes what is given; it outlives restarts.' })
  async setBotPresence(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => BotPresenceInput) input: BotPresenceInput,
  ) {
    return { success: true, ...(await setPresence(ctx.em, ctx, input)) };
  }
}
