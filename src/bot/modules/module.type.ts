import { Field, Float, Int, ObjectType } from 'type-graphql';
import { JsonScalar } from '../../platform/graphql/scalars.js';
import type { SettingType, SettingValue } from './setting.rules.js';

@ObjectType('BotModule', {
  simpleResolvers: true,
  description: 'A part of the bot that can be switched on and off.',
})
export class ModuleObject {
  @Field(() => String)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  version!: string;

  @Field(() => String)
  author!: string;

  @Field(() => Boolean)
  enabled!: boolean;

  @Field(() => String, { description: 'disabled, enabled, or failed: its code did not load, or threw.' })
  state!: string;

  @Field(() => String, { nullable: true, description: 'Why it failed.' })
  error!: string | null;

  @Field(() => String)
  description!: string;
}

@ObjectType('BotModuleToggled', { simpleResolvers: true })
export class ModuleToggledObject {
  @Field(() => Boolean)
  success!: boolean;

  @Field(() => String)
  id!: string;

  @Field(() => Boolean)
  enabled!: boolean;

  @Field(() => Boolean, { description: 'False: it was so before.' })
  changed!: boolean;

  @Field(() => Boolean, {
    description: 'False: no process runs the bot now; it is stored, and done when one does.',
  })
  applied!: boolean;
}

@ObjectType('BotSettingOption', { simpleResolvers: true })
export class SettingOptionObject {
  @Field(() => String)
  value!: string;

  @Field(() => String)
  label!: string;
}

@ObjectType('BotSetting', { simpleResolvers: true })
export class SettingObject {
  @Field(() => String)
  key!: string;

  @Field(() => String)
  label!: string;

  @Field(() => String)
  description!: string;

  @Field(() => String)
  type!: SettingType;

  @Field(() => JsonScalar, { nullable: true })
  default!: SettingValue;

  @Field(() => JsonScalar, { nullable: true, description: 'Null for a secret, always.' })
  value!: SettingValue;

  @Field(() => Boolean, { description: 'An operator has set it.' })
  set!: boolean;

  @Field(() => Boolean, { description: 'Without a value, the module can not be enabled.' })
  required!: boolean;

  @Field(() => Float, { nullable: true, description: 'Seconds for a duration; items for a list.' })
  min!: number | null;

  @Field(() => Float, { nullable: true })
  max!: number | null;

  @Field(() => Int, { nullable: true })
  minLength!: number | null;

  @Field(() => Int, { nullable: true })
  maxLength!: number | null;

  @Field(() => String, { nullable: true, description: 'An RE2 pattern.' })
  pattern!: string | null;

  @Field(() => [SettingOptionObject])
  options!: SettingOptionObject[];
}

@ObjectType('BotConfigGroup', { simpleResolvers: true })
export class ConfigGroupObject {
  @Field(() => String)
  id!: string;

  @Field(() => String)
  label!: string;

  @Field(() => String)
  description!: string;

  @Field(() => [SettingObject])
  settings!: SettingObject[];
}

@ObjectType('BotModuleConfig', { simpleResolvers: true })
export class ModuleConfigObject {
  @Field(() => String)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => [ConfigGroupObject])
  groups!: ConfigGroupObject[];
}

@ObjectType('BotModuleConfigWritten', { simpleResolvers: true })
export class ModuleConfigWrittenObject extends ModuleConfigObject {
  @Field(() => Boolean)
  success!: boolean;
}

@ObjectType('BotLoggedEvent', { simpleResolvers: true })
export class LoggedEventObject {
  @Field(() => String)
  key!: string;

  @Field(() => String)
  label!: string;

  @Field(() => String)
  description!: string;

  @Field(() => Boolean)
  default!: boolean;

  @Field(() => Boolean)
  enabled!: boolean;

  @Field(() => String, { nullable: true, description: "Null: the module's." })
  channel!: string | null;
}

@ObjectType('BotLoggingError', { simpleResolvers: true })
export class LoggingErrorObject {
  @Field(() => String)
  message!: string;

  @Field(() => Date)
  at!: Date;
}

@ObjectType('BotLoggingTarget', {
  simpleResolvers: true,
  description: 'Where a module tells its events; `core` is the bot itself.',
})
export class LoggingTargetObject {
  @Field(() => String)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => Boolean)
  enabled!: boolean;

  @Field(() => String, { nullable: true, description: "A channel's id." })
  channel!: string | null;

  @Field(() => [LoggedEventObject])
  events!: LoggedEventObject[];

  @Field(() => LoggingErrorObject, { nullable: true, description: 'Of the last delivery, if it failed.' })
  lastError!: LoggingErrorObject | null;
}

@ObjectType('BotLoggingTargetWritten', { simpleResolvers: true })
export class LoggingTargetWrittenObject extends LoggingTargetObject {
  @Field(() => Boolean)
  success!: boolean;
}
