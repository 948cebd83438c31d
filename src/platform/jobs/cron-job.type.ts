import { Field, Int, ObjectType } from 'type-graphql';
import { JobRunObject } from './job.type.js';

@ObjectType('CronJob', {
  simpleResolvers: true,
  description: 'What runs on a schedule, as the worker that started last has it.',
})
export class CronJobObject {
  @Field(() => String)
  task!: string;

  @Field(() => String, { description: 'Minute, hour, day, month, weekday; UTC.' })
  schedule!: string;

  @Field(() => Int)
  maxAttempts!: number;

  @Field(() => Date, { nullable: true, description: 'Null if not within 366 days.' })
  nextRunAt!: Date | null;

  @Field(() => JobRunObject, { nullable: true, description: 'Its newest run, however it was asked for.' })
  lastRun!: JobRunObject | null;
}
