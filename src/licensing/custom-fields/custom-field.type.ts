import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { JsonScalar } from '../../platform/graphql/scalars.js';
import type { CustomFieldType as FieldType } from './custom-field.entity.js';
import type { RecordKind } from './named-record.entity.js';

export enum RecordKindEnum {
  product = 'product',
  customer = 'customer',
  addon = 'addon',
}
registerEnumType(RecordKindEnum, {
  name: 'RecordKind',
  description: 'A kind of record that can have custom fields.',
});

export enum CustomFieldTypeEnum {
  string = 'string',
  number = 'number',
  boolean = 'boolean',
  date = 'date',
  url = 'url',
  email = 'email',
  enum = 'enum',
  json = 'json',
}
registerEnumType(CustomFieldTypeEnum, { name: 'CustomFieldType' });

@ObjectType('CustomField', { simpleResolvers: true })
export class CustomFieldObject {
  @Field(() => Int)
  id!: number;

  @Field(() => RecordKindEnum)
  record!: RecordKind;

  @Field(() => String)
  name!: string;

  @Field(() => CustomFieldTypeEnum)
  type!: FieldType;

  @Field(() => Boolean)
  required!: boolean;

  @Field(() => JsonScalar, { nullable: true })
  defaultValue?: unknown;

  @Field(() => [String], { nullable: true, description: 'The allowed values of an enum.' })
  options?: string[] | null;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@InputType()
export class DefineCustomFieldInput {
  @Field(() => RecordKindEnum)
  record!: RecordKind;

  @Field(() => String, { description: '^[a-z][a-z0-9_]{0,39}$, and none of the documented members.' })
  name!: string;

  @Field(() => CustomFieldTypeEnum)
  type!: FieldType;

  @Field(() => Boolean, { nullable: true })
  required?: boolean | null;

  @Field(() => JsonScalar, { nullable: true })
  defaultValue?: unknown;

  @Field(() => [String], { nullable: true, description: 'The allowed values of an enum.' })
  options?: string[] | null;
}

@InputType()
export class UpdateCustomFieldInput {
  @Field(() => Boolean, { nullable: true })
  required?: boolean | null;

  @Field(() => JsonScalar, { nullable: true })
  defaultValue?: unknown;

  @Field(() => [String], { nullable: true })
  options?: string[] | null;
}

@InputType({ description: 'Rows whose custom field has this value.' })
export class CustomValueFilter {
  @Field(() => String)
  name!: string;

  @Field(() => JsonScalar)
  equals!: unknown;
}
