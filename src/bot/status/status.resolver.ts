import { Ctx, FieldResolver, Query, Resolver } from 'type-graphql';
import { Access, PUBLIC } from '../../platform/graphql/access.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { botStatus } from './status.service.js';
import { BotObject, BotStatusObject } from './status.type.js';

@Resolver(() => BotObject)
export class BotStatusResolver {
  @Access(PUBLIC)
  @Query(() => BotObject, { description: 'The chat bot. Each of its fields says who may ask for it.' })
  bot() {
    return {};
  }

  @Access(PUBLIC)
  @FieldResolver(() => BotStatusObject)
  status(@Ctx() ctx: RequestContext) {
    return botStatus(ctx.em, ctx);
  }
}
