import { Arg, Ctx, FieldResolver, Resolver, Root, Subscription } from 'type-graphql';
import { Access } from '../graphql/access.js';
import type { RequestContext } from '../graphql/request-context.js';
import { NameScalar } from '../graphql/scalars.js';
import type { JobChange } from './job-change.js';
import { JobChangeObject } from './job-change.type.js';
import { watchJobs } from './job-changes.service.js';
import { jobById, runById } from './job.loaders.js';
import { JobObject, JobRunObject } from './job.type.js';

@Resolver(() => JobChangeObject)
export class JobChangeResolver {
  @Access('jobs:read')
  @Subscription(() => JobChangeObject, {
    description: 'Runs as they end, at most a second behind, and what operators do; of one task or of all.',
    subscribe: ({ context, args }: { context: RequestContext; args: { task?: string | null } }) =>
      watchJobs(context.pubsub, args.task),
  })
  jobChanged(
    @Root() change: JobChange,
    @Arg('task', () => NameScalar, { nullable: true }) _task?: string | null,
  ): JobChangeObject {
    return change;
  }

  @FieldResolver(() => JobObject, { nullable: true, description: 'Null once it is done.' })
  job(@Ctx() ctx: RequestContext, @Root() { jobId }: JobChange) {
    return ctx.load(jobById, jobId);
  }

  @FieldResolver(() => JobRunObject, { nullable: true, description: 'The run that ended, if that was it.' })
  run(@Ctx() ctx: RequestContext, @Root() { runId }: JobChange) {
    return runId === undefined ? null : ctx.load(runById, runId);
  }
}
