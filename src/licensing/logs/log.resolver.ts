import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access, ReadsList } from '../../platform/graphql/access.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { clearLog, listLog } from './log.service.js';
import {
  ActivityEntryObject,
  ClearedLogObject,
  LogArgs,
  LogEntryUnion,
  LogTypeEnum,
  RequestLogEntryObject,
} from './log.type.js';

@Resolver()
export class LogResolver {
  @Access('licensing:read')
  @ReadsList()
  @Query(() => [LogEntryUnion], {
    description: 'A page of a log, newest first.',
    complexity: ({ args, childComplexity }) => 1 + ((args as LogArgs).limit ?? 50) * childComplexity,
  })
  async logs(@Ctx() ctx: RequestContext, @Args(() => LogArgs) request: LogArgs) {
    const shape = request.type === 'requests' ? RequestLogEntryObject : ActivityEntryObject;
    return (await listLog(ctx.em, request)).map((entry) => Object.assign(new shape(), entry));
  }

  @Access('licensing:write')
  @Mutation(() => ClearedLogObject, {
    description: 'Empties a log; the activity log tells that, and by whom.',
  })
  async clearLog(@Ctx() ctx: RequestContext, @Arg('type', () => LogTypeEnum) type: 'requests' | 'activity') {
    return { cleared: await clearLog(ctx.em, ctx, type) };
  }
}
