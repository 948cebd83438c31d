import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionOf, orderOf } from '../../platform/graphql/connection.js';
import { JsonScalar } from '../../platform/graphql/scalars.js';
import { VariableKeyScalar } from './variable-key.scalar.js';
import type { VariableScope } from './variable.entity.js';

export enum VariableScopeEnum {
  global = 'global',
  product = 'product',
  license = 'license',
  user = 'user',
}
registerEnumType(VariableScopeEnum, {
  name: 'VariableScope',
  description:
    "Whose a variable is. A verdict's variables are global, overridden by product, overridden by license; user apart.",
});

@ObjectType('Variable', {
  simpleResolvers: true,
  description: 'A value that verdicts carry to the products in the field.',
})
export class VariableObject {
  @Field(() => Int)
  id!: number;

  @Field(() => VariableScopeEnum)
  scope!: VariableScope;

  @Field(() => String)
  key!: string;

  @Field(() => JsonScalar, { nullable: true, description: 'Any JSON value, null included.' })
  value!: unknown;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@ObjectType()
export class VariableConnection extends connectionOf('Variable', () => VariableObject) {}

@ObjectType('SetVariableResult', { simpleResolvers: true })
export class SetVariableResult {
  @Field(() => VariableObject)
  variable!: VariableObject;

  @Field(() => Boolean, { description: 'False when the key was there and has a new value.' })
  created!: boolean;
}

/** One variable, by its owner and key. */
@InputType()
export class VariableRefInput {
  @Field(() => VariableScopeEnum)
  scope!: VariableScope;

  @Field(() => String, {
    nullable: true,
    description: 'Absent for global, the name of a product, or a license key.',
  })
  owner?: string | null;

  @Field(() => VariableKeyScalar)
  key!: string;
}

@InputType()
export class VariableInput extends VariableRefInput {
  @Field(() => JsonScalar, { nullable: true, description: 'Up to 16 KiB of JSON and 8 levels.' })
  value?: unknown;
}

@InputType()
export class UserVariableInput {
  @Field(() => VariableKeyScalar)
  key!: string;

  @Field(() => JsonScalar, { nullable: true, description: 'Up to 16 KiB of JSON and 8 levels.' })
  value?: unknown;
}

@InputType('VariableFilter')
export class VariableFilterInput {
  @Field(() => VariableScopeEnum, { nullable: true })
  scope?: VariableScope | null;

  @Field(() => String, {
    nullable: true,
    description: 'Empty (global), the name of a product, or a license key.',
  })
  owner?: string | null;

  @Field(() => String, { nullable: true })
  key?: string | null;
}

enum VariableOrderField {
  id = 'id',
  key = 'key',
  createdAt = 'createdAt',
  updatedAt = 'updatedAt',
}

@InputType('VariableOrder')
export class VariableOrderInput extends orderOf('Variable', VariableOrderField) {}
