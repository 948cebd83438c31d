import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../graphql/access.js';
import type { RequestContext } from '../graphql/request-context.js';
import { NameScalar } from '../graphql/scalars.js';
import { listCronJobs, runCronJobNow } from './cron-job.service.js';
import { CronJobObject } from './cron-job.type.js';
import { JobObject } from './job.type.js';

@Resolver()
export class CronJobResolver {
  @Access('jobs:read')
  @Query(() => [CronJobObject], { description: 'By name; none before the first worker has started.' })
  cronJobs(@Ctx() ctx: RequestContext) {
    return listCronJobs(ctx.em, ctx);
  }

  @Access('jobs:write')
  @Mutation(() => JobObject, { description: 'Runs a scheduled job once, now, beside its schedule.' })
  runCronJobNow(@Ctx() ctx: RequestContext, @Arg('task', () => NameScalar) task: string) {
    return runCronJobNow(ctx.em, ctx, task);
  }
}
