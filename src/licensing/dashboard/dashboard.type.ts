import { Field, Int, ObjectType } from 'type-graphql';
import { SafeIntScalar } from '../../platform/graphql/scalars.js';

@ObjectType('LicenseCounts', { simpleResolvers: true })
export class LicenseCountsObject {
  @Field(() => Int, { description: 'Active and not expired.' })
  active!: number;

  @Field(() => Int)
  expired!: number;

  @Field(() => Int)
  suspended!: number;

  @Field(() => Int)
  revoked!: number;
}

@ObjectType('ValidationHour', { simpleResolvers: true })
export class ValidationHourObject {
  @Field(() => Date, { description: 'When the hour began.' })
  hour!: Date;

  @Field(() => SafeIntScalar)
  valid!: number;

  @Field(() => SafeIntScalar)
  failed!: number;
}

@ObjectType('Dashboard', { description: 'How things stand, in few and fast statements.' })
export class DashboardObject {}
