import { Field, Float, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionOf } from '../graphql/connection.js';
import { JsonScalar, SafeIntScalar } from '../graphql/scalars.js';

export enum JobStateEnum {
  waiting = 'waiting',
  scheduled = 'scheduled',
  running = 'running',
  failed = 'failed',
}
registerEnumType(JobStateEnum, {
  name: 'JobState',
  description: 'A job that is done is in the queue no more; its runs tell of it.',
  valuesConfig: {
    waiting: { description: 'Due, and not begun.' },
    scheduled: { description: 'Due later: at its time, or for its next attempt.' },
    running: { description: 'A worker has it.' },
    failed: { description: 'Its attempts are used up, or it was cancelled.' },
  },
});

export enum JobOutcomeEnum {
  succeeded = 'succeeded',
  retrying = 'retrying',
  failed = 'failed',
}
registerEnumType(JobOutcomeEnum, {
  name: 'JobOutcome',
  valuesConfig: {
    retrying: { description: 'It failed, and the job will run again.' },
    failed: { description: "It failed, and was the job's last attempt." },
  },
});

export enum JobRefusalReasonEnum {
  unknown = 'unknown',
  running = 'running',
  failed = 'failed',
}
registerEnumType(JobRefusalReasonEnum, { name: 'JobRefusalReason' });

@ObjectType('Job', { simpleResolvers: true, description: 'Work in the queue.' })
export class JobObject {
  @Field(() => SafeIntScalar)
  id!: number;

  @Field(() => String)
  task!: string;

  @Field(() => JobStateEnum)
  state!: 'waiting' | 'scheduled' | 'running' | 'failed';

  @Field(() => String, { nullable: true, description: 'Jobs of one named queue run one after another.' })
  queue!: string | null;

  @Field(() => String, { nullable: true, description: 'There is one job of a key at a time.' })
  key!: string | null;

  @Field(() => Int, { description: 'Lower goes first.' })
  priority!: number;

  @Field(() => Date, { description: 'When it is, or was, due.' })
  runAt!: Date;

  @Field(() => Int, { description: 'Begun so far, the running one too.' })
  attempts!: number;

  @Field(() => Int)
  maxAttempts!: number;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed; masked.' })
  lastError!: string | null;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When a worker took it.' })
  lockedAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'The worker that has it.' })
  worker!: string | null;
}

@ObjectType()
export class JobConnection extends connectionOf('Job', () => JobObject) {}

@InputType({ description: 'All that is given must hold.' })
export class JobFilterInput {
  @Field(() => JobStateEnum, { nullable: true })
  state?: 'waiting' | 'scheduled' | 'running' | 'failed' | null;

  @Field(() => String, { nullable: true })
  task?: string | null;

  @Field(() => String, { nullable: true })
  queue?: string | null;

  @Field(() => String, { nullable: true })
  key?: string | null;

  @Field(() => [SafeIntScalar], { nullable: true, description: 'At most 1000.' })
  ids?: number[] | null;
}

@ObjectType('JobRun', { simpleResolvers: true, description: 'One attempt at a job, once it has ended.' })
export class JobRunObject {
  @Field(() => SafeIntScalar)
  id!: number;

  @Field(() => SafeIntScalar)
  jobId!: number;

  @Field(() => String)
  task!: string;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'Masked; null where it was too long to be kept.',
  })
  payload!: unknown;

  @Field(() => Int, { description: 'From 1.' })
  attempt!: number;

  @Field(() => Int)
  maxAttempts!: number;

  @Field(() => JobOutcomeEnum)
  outcome!: 'succeeded' | 'retrying' | 'failed';

  @Field(() => String, { nullable: true, description: 'At most 1000 characters; masked.' })
  error!: string | null;

  @Field(() => String)
  worker!: string;

  @Field(() => Date, { description: 'When the job was added.' })
  queuedAt!: Date;

  @Field(() => Date, { description: 'When this attempt was due.' })
  dueAt!: Date;

  @Field(() => Date)
  startedAt!: Date;

  @Field(() => Float, { description: 'From `dueAt` to `startedAt`.' })
  waitMs!: number;

  @Field(() => Float)
  durationMs!: number;
}

@ObjectType()
export class JobRunConnection extends connectionOf('JobRun', () => JobRunObject) {}

@InputType({ description: 'All that is given must hold.' })
export class JobRunFilterInput {
  @Field(() => SafeIntScalar, { nullable: true })
  jobId?: number | null;

  @Field(() => String, { nullable: true })
  task?: string | null;

  @Field(() => JobOutcomeEnum, { nullable: true })
  outcome?: 'succeeded' | 'retrying' | 'failed' | null;

  @Field(() => Date, { nullable: true, description: 'By `startedAt`.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Up to but not including.' })
  to?: Date | null;
}

@ObjectType('JobRefusal', { simpleResolvers: true })
export class JobRefusalObject {
  @Field(() => SafeIntScalar)
  id!: number;

  @Field(() => JobRefusalReasonEnum)
  reason!: 'unknown' | 'running' | 'failed';

  @Field(() => String)
  message!: string;
}

@ObjectType('JobsChange', {
  simpleResolvers: true,
  description: 'What became of the jobs that were named: each is in one of the two lists.',
})
export class JobsChangeObject {
  @Field(() => [JobObject], { description: 'Those that were changed, as they are now.' })
  jobs!: JobObject[];

  @Field(() => [JobRefusalObject], { description: 'Those that stay as they are, and why.' })
  refused!: JobRefusalObject[];
}
