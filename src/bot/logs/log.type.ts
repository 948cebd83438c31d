import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { SafeIntScalar } from '../../platform/graphql/scalars.js';
import type { LineLevel } from './log-line.rules.js';

export enum BotLogLevel {
  debug = 'debug',
  info = 'info',
  warn = 'warn',
  error = 'error',
}
registerEnumType(BotLogLevel, { name: 'BotLogLevel', description: 'From the least severe.' });

@ObjectType('BotLogEntry', { simpleResolvers: true, description: "A line of the bot's console." })
export class BotLogEntryObject {
  @Field(() => SafeIntScalar, { description: 'Of a sequence that never starts over.' })
  id!: number;

  @Field(() => Date)
  time!: Date;

  @Field(() => BotLogLevel)
  level!: LineLevel;

  @Field(() => String, { description: 'At most 8 KiB; secrets are masked.' })
  message!: string;
}

@ObjectType('BotLogPage', { simpleResolvers: true })
export class BotLogPageObject {
  @Field(() => [BotLogEntryObject], { description: 'Ascending.' })
  entries!: BotLogEntryObject[];

  @Field(() => SafeIntScalar, { description: 'What to send as `after` for what comes next.' })
  next!: number;

  @Field(() => Boolean, { description: 'There is more already.' })
  truncated!: boolean;
}
