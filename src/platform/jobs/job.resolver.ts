import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../graphql/access.js';
import { PageArgs, listComplexity } from '../graphql/connection.js';
import type { RequestContext } from '../graphql/request-context.js';
import { NameScalar, SafeIntScalar } from '../graphql/scalars.js';
import { cancelJobs, rescheduleJobs, retryJobs } from './job-control.service.js';
import { jobStats } from './job-stats.service.js';
import { JobStatsObject } from './job-stats.type.js';
import { RUNS_OF_JOB_MAX, runsByJob } from './job.loaders.js';
import { getJob, listJobRuns, listJobs } from './job.service.js';
import {
  JobConnection,
  JobFilterInput,
  JobObject,
  JobRunConnection,
  JobRunFilterInput,
  JobRunObject,
  JobsChangeObject,
} from './job.type.js';

@Resolver(() => JobObject)
export class JobResolver {
  @Access('jobs:read')
  @Query(() => JobConnection, { complexity: listComplexity, description: 'The queue, oldest first.' })
  jobs(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => JobFilterInput, { nullable: true }) filter?: JobFilterInput | null,
  ) {
    return listJobs(ctx.em, filter ?? {}, page);
  }

  @Access('jobs:read')
  @Query(() => JobObject)
  job(@Ctx() ctx: RequestContext, @Arg('id', () => SafeIntScalar) id: number) {
    return getJob(ctx.em, id);
  }

  @Access('jobs:read')
  @Query(() => JobRunConnection, {
    complexity: listComplexity,
    description: 'What has run, newest first; at most a second behind.',
  })
  jobRuns(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => JobRunFilterInput, { nullable: true }) filter?: JobRunFilterInput | null,
  ) {
    return listJobRuns(ctx.em, filter ?? {}, page);
  }

  @Access('jobs:read')
  @Query(() => [JobStatsObject], { description: 'By task: the queue now, and what ran in the last minutes.' })
  jobStats(
    @Ctx() ctx: RequestContext,
    @Arg('minutes', () => Int, { nullable: true, description: '1–1440; 15 when absent.' })
    minutes?: number | null,
  ) {
    return jobStats(ctx.em, ctx, minutes ?? undefined);
  }

  @Access('jobs:write')
  @Mutation(() => JobsChangeObject, {
    description:
      'Makes jobs due now, with all their attempts anew: failed ones, and those that are due later.',
  })
  retryJobs(@Ctx() ctx: RequestContext, @Arg('ids', () => [SafeIntScalar]) ids: number[]) {
    return retryJobs(ctx.em, ctx, ids);
  }

  @Access('jobs:write')
  @Mutation(() => JobsChangeObject, {
    description:
      'Gives jobs up that have not begun: they stay as failed, and can be retried. What runs goes on.',
  })
  cancelJobs(
    @Ctx() ctx: RequestContext,
    @Arg('ids', () => [SafeIntScalar]) ids: number[],
    @Arg('reason', () => NameScalar, { nullable: true }) reason?: string | null,
  ) {
    return cancelJobs(ctx.em, ctx, { ids, reason });
  }

  @Access('jobs:write')
  @Mutation(() => JobsChangeObject, {
    description:
      'Changes when, in which order and how often jobs run that have not begun; at least one of the three.',
  })
  rescheduleJobs(
    @Ctx() ctx: RequestContext,
    @Arg('ids', () => [SafeIntScalar]) ids: number[],
    @Arg('runAt', () => Date, { nullable: true }) runAt?: Date | null,
    @Arg('priority', () => Int, { nullable: true, description: 'Lower goes first; 0 is usual.' })
    priority?: number | null,
    @Arg('maxAttempts', () => Int, {
      nullable: true,
      description: 'In all; more than a failed job has used bring it back.',
    })
    maxAttempts?: number | null,
  ) {
    return rescheduleJobs(ctx.em, ctx, { ids, runAt, priority, maxAttempts });
  }

  @FieldResolver(() => [JobRunObject], {
    description: 'Its newest runs, at most 10, newest first.',
    complexity: ({ childComplexity }) => 1 + RUNS_OF_JOB_MAX * childComplexity,
  })
  runs(@Ctx() ctx: RequestContext, @Root() job: JobObject) {
    return ctx.load(runsByJob, job.id);
  }
}
