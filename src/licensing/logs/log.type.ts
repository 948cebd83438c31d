import { ArgsType, Field, Int, ObjectType, createUnionType, registerEnumType } from 'type-graphql';
import { JsonObjectScalar, SafeIntScalar } from '../../platform/graphql/scalars.js';

export enum LogTypeEnum {
  requests = 'requests',
  activity = 'activity',
}
registerEnumType(LogTypeEnum, { name: 'LogType' });

@ObjectType('RequestLogEntry', {
  simpleResolvers: true,
  description: 'One handled request. Keys are masked.',
})
export class RequestLogEntryObject {
  @Field(() => SafeIntScalar)
  id!: number;

  @Field(() => LogTypeEnum)
  type!: LogTypeEnum;

  @Field(() => String, { nullable: true })
  requestId!: string | null;

  @Field(() => String)
  method!: string;

  @Field(() => String)
  path!: string;

  @Field(() => Int)
  status!: number;

  @Field(() => String, { nullable: true, description: "The verdict's or the error's code." })
  code!: string | null;

  @Field(() => String, { nullable: true, description: "The license key's last 6 characters." })
  license!: string | null;

  @Field(() => String, { nullable: true })
  product!: string | null;

  @Field(() => String, { nullable: true })
  customer!: string | null;

  @Field(() => String)
  ip!: string;

  @Field(() => String)
  agent!: string;

  @Field(() => Number)
  durationMs!: number;

  @Field(() => Date)
  createdAt!: Date;
}

@ObjectType('LogResource', { simpleResolvers: true })
export class LogResourceObject {
  @Field(() => String)
  type!: string;

  @Field(() => String)
  id!: string;
}

@ObjectType('ActivityEntry', {
  simpleResolvers: true,
  description: 'One change: what, by whom, by which road.',
})
export class ActivityEntryObject {
  @Field(() => SafeIntScalar)
  id!: number;

  @Field(() => LogTypeEnum)
  type!: LogTypeEnum;

  @Field(() => String)
  event!: string;

  @Field(() => String)
  actor!: string;

  @Field(() => LogResourceObject)
  resource!: LogResourceObject;

  @Field(() => JsonObjectScalar, { nullable: true, description: 'Per field: [before, after].' })
  changes!: Record<string, unknown> | null;

  @Field(() => String, { nullable: true })
  requestId!: string | null;

  @Field(() => String, { description: 'rest, graphql, job, marketplace or cli.' })
  source!: string;

  @Field(() => Date)
  createdAt!: Date;
}

// Told apart by class: compiled operations can't wait for a resolveType, which type-graphql makes asynchronous.
export const LogEntryUnion = createUnionType({
  name: 'LogEntry',
  types: () => [RequestLogEntryObject, ActivityEntryObject] as const,
});

@ArgsType()
export class LogArgs {
  @Field(() => LogTypeEnum)
  type!: 'requests' | 'activity';

  @Field(() => Int, { nullable: true, description: 'From 1, newest first.' })
  page?: number | null;

  @Field(() => Int, { nullable: true, description: '1–100; 50 when absent.' })
  limit?: number | null;

  @Field(() => String, { nullable: true, description: 'A license key; entries hold its last 6 characters.' })
  license?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "A verdict's or error's code; for activity, an event.",
  })
  code?: string | null;

  @Field(() => Date, { nullable: true })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Up to but not including.' })
  to?: Date | null;
}

@ObjectType('ClearedLog', { simpleResolvers: true })
export class ClearedLogObject {
  @Field(() => Int, { description: 'How many entries went.' })
  cleared!: number;
}
