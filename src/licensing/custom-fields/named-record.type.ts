import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { orderOf } from '../../platform/graphql/connection.js';
import { JsonObjectScalar, NameScalar } from '../../platform/graphql/scalars.js';
import type { CustomValues } from './custom-field.rules.js';
import { CustomValueFilter } from './custom-field.type.js';

/** The members that products, customers and addons share. */
@ObjectType({ simpleResolvers: true })
export abstract class NamedRecordObject {
  @Field(() => Int)
  id!: number;

  @Field(() => String)
  name!: string;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@InputType()
export abstract class CreateNamedInput {
  @Field(() => NameScalar)
  name!: string;

  @Field(() => JsonObjectScalar, { nullable: true, description: 'Values of the defined custom fields.' })
  custom?: CustomValues | null;
}

@InputType()
export abstract class UpdateNamedInput {
  @Field(() => NameScalar, { nullable: true, description: 'Renames; every reference follows.' })
  newName?: string | null;

  @Field(() => JsonObjectScalar, {
    nullable: true,
    description: 'Merged into the stored values; null takes one away.',
  })
  custom?: CustomValues | null;
}

@InputType()
export class NamedRecordFilter {
  @Field(() => [String], { nullable: true, description: 'One of these names.' })
  names?: string[] | null;

  @Field(() => String, { nullable: true, description: 'Part of the name, whatever its case.' })
  nameContains?: string | null;

  @Field(() => [CustomValueFilter], { nullable: true, description: 'All of these custom values.' })
  custom?: CustomValueFilter[] | null;
}

enum NamedRecordOrderField {
  id = 'id',
  name = 'name',
  createdAt = 'createdAt',
  updatedAt = 'updatedAt',
}

@InputType('NamedRecordOrder')
export class NamedRecordOrder extends orderOf('NamedRecord', NamedRecordOrderField) {}
