import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionOf, orderOf } from '../../platform/graphql/connection.js';
import { JsonObjectScalar, NameScalar, TextScalar } from '../../platform/graphql/scalars.js';
import type { RuleAction, RuleType } from './rule.entity.js';

export enum RuleTypeEnum {
  version = 'version',
  ip = 'ip',
  country = 'country',
  header = 'header',
  agent = 'agent',
  time = 'time',
}
registerEnumType(RuleTypeEnum, { name: 'RuleType', description: 'What a rule looks at.' });

export enum RuleActionEnum {
  allow = 'allow',
  deny = 'deny',
  warn = 'warn',
}
registerEnumType(RuleActionEnum, {
  name: 'RuleAction',
  description:
    'allow: of each type with such rules, one must match. deny: none may match. warn: stays valid, with a warning.',
});

@ObjectType('Rule', {
  simpleResolvers: true,
  description: 'A condition on validations, of every product or of those it is attached to.',
})
export class RuleObject {
  @Field(() => Int)
  id!: number;

  @Field(() => String)
  name!: string;

  @Field(() => RuleTypeEnum)
  type!: RuleType;

  @Field(() => RuleActionEnum)
  action!: RuleAction;

  @Field(() => JsonObjectScalar, { description: 'Its members depend on the type.' })
  config!: Record<string, unknown>;

  @Field(() => String, { nullable: true, description: "Replaces the verdict's own sentence." })
  message!: string | null;

  @Field(() => Boolean, { description: 'Holds for every product.' })
  global!: boolean;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@ObjectType()
export class RuleConnection extends connectionOf('Rule', () => RuleObject) {}

@InputType()
abstract class RuleFieldsInput {
  @Field(() => RuleTypeEnum, { nullable: true })
  type?: RuleType | null;

  @Field(() => RuleActionEnum, { nullable: true })
  action?: RuleAction | null;

  @Field(() => JsonObjectScalar, {
    nullable: true,
    description: "Replaced as a whole; must fit the rule's type.",
  })
  config?: Record<string, unknown> | null;

  @Field(() => TextScalar, { nullable: true })
  message?: string | null;

  @Field(() => Boolean, { nullable: true })
  global?: boolean | null;
}

@InputType()
export class CreateRuleInput extends RuleFieldsInput {
  @Field(() => NameScalar, { nullable: true, description: 'Generated when absent.' })
  name?: string | null;
}

@InputType()
export class UpdateRuleInput extends RuleFieldsInput {
  @Field(() => NameScalar, { nullable: true, description: 'Renames; every reference follows.' })
  newName?: string | null;
}

@InputType('RuleFilter')
export class RuleFilterInput {
  @Field(() => String, { nullable: true, description: 'Exactly this name.' })
  name?: string | null;

  @Field(() => RuleTypeEnum, { nullable: true })
  type?: RuleType | null;

  @Field(() => RuleActionEnum, { nullable: true })
  action?: RuleAction | null;

  @Field(() => Boolean, { nullable: true })
  global?: boolean | null;

  @Field(() => String, { nullable: true, description: 'Attached to the product of this name.' })
  product?: string | null;
}

enum RuleOrderField {
  id = 'id',
  name = 'name',
  createdAt = 'createdAt',
  updatedAt = 'updatedAt',
}

@InputType('RuleOrder')
export class RuleOrderInput extends orderOf('Rule', RuleOrderField) {}
