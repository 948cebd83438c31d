import { Field, Float, Int, ObjectType } from 'type-graphql';

@ObjectType('Percentiles', { simpleResolvers: true })
export class PercentilesObject {
  @Field(() => Float)
  p50!: number;

  @Field(() => Float)
  p95!: number;

  @Field(() => Float)
  p99!: number;
}

@ObjectType('JobStats', { simpleResolvers: true, description: 'How things stand with one task.' })
export class JobStatsObject {
  @Field(() => String)
  task!: string;

  @Field(() => Int, { description: 'In the queue: due, and not begun.' })
  waiting!: number;

  @Field(() => Int, { description: 'In the queue: due later.' })
  scheduled!: number;

  @Field(() => Int)
  running!: number;

  @Field(() => Int, { description: 'In the queue: given up.' })
  failed!: number;

  @Field(() => Float, { nullable: true, description: 'For how long the oldest waiting job has been due.' })
  oldestWaitingSeconds!: number | null;

  @Field(() => Int, { description: 'Runs of the time that was asked for.' })
  succeeded!: number;

  @Field(() => Int, { description: 'Runs that failed, and whose job runs again.' })
  retrying!: number;

  @Field(() => Int, { description: 'Runs that failed as the last attempt of their job.' })
  failedRuns!: number;

  @Field(() => Float)
  runsPerMinute!: number;

  @Field(() => PercentilesObject, {
    nullable: true,
    description: 'Of the newest 10000 runs at most; null when nothing ran.',
  })
  durationMs!: PercentilesObject | null;

  @Field(() => PercentilesObject, {
    nullable: true,
    description: 'From the moment a job was due to its start; as `durationMs`.',
  })
  waitMs!: PercentilesObject | null;
}
