import { Arg, Ctx, FieldResolver, Int, Resolver, Root, Subscription } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { SafeIntScalar } from '../../platform/graphql/scalars.js';
import { BotObject } from '../status/status.type.js';
import type { LogLine } from './log.repository.js';
import { followLines, listLines } from './log.service.js';
import type { LogQuery } from './log.service.js';
import { BotLogEntryObject, BotLogLevel, BotLogPageObject } from './log.type.js';

const AFTER = { nullable: true, description: 'Only lines with a greater id.' } as const;
const LEVEL = { nullable: true, description: 'The least severe level; all when absent.' } as const;

@Resolver(() => BotObject)
export class BotLogResolver {
  @Access('bot:read')
  @FieldResolver(() => BotLogPageObject, {
    description: "The bot's console: lines after an id, or the latest ones.",
    complexity: ({ args, childComplexity }) => 1 + ((args as LogQuery).limit ?? 100) * childComplexity,
  })
  logs(
    @Ctx() ctx: RequestContext,
    @Arg('after', () => SafeIntScalar, AFTER) after?: number | null,
    @Arg('limit', () => Int, { nullable: true, description: '1–500.' }) limit?: number | null,
    @Arg('level', () => BotLogLevel, LEVEL) level?: BotLogLevel | null,
  ) {
    return listLines(ctx.em, { after, limit, level });
  }

  @Access('bot:read')
  @Subscription(() => BotLogEntryObject, {
    description: "Lines of the bot's console as they come, after an id or from now on.",
    subscribe: ({ context, args }: { context: RequestContext; args: LogQuery }) =>
      followLines(context.em, context.pubsub, args),
  })
  botLog(
    @Root() line: LogLine,
    @Arg('after', () => SafeIntScalar, AFTER) _after?: number | null,
    @Arg('level', () => BotLogLevel, LEVEL) _level?: BotLogLevel | null,
  ) {
    return line;
  }
}
