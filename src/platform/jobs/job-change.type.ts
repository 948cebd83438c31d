import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { SafeIntScalar } from '../graphql/scalars.js';
import { JOB_CHANGES } from './job-change.js';
import type { JobChangeKind } from './job-change.js';

const JobChangeEnum = Object.fromEntries(JOB_CHANGES.map((change) => [change, change]));
registerEnumType(JobChangeEnum, {
  name: 'JobChangeKind',
  description: 'What became of a job: how a run of it ended, or what an operator did.',
  valuesConfig: {
    succeeded: { description: 'It is done.' },
    retrying: { description: 'A run failed, and another will follow.' },
    failed: { description: 'Its last run failed.' },
    requested: { description: 'It was added out of its schedule.' },
  },
});

@ObjectType('JobChange', { simpleResolvers: true })
export class JobChangeObject {
  @Field(() => JobChangeEnum)
  change!: JobChangeKind;

  @Field(() => SafeIntScalar)
  jobId!: number;

  @Field(() => String)
  task!: string;
}
