import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionOf, orderOf } from '../../platform/graphql/connection.js';
import { JsonObjectScalar, NameScalar, TextScalar } from '../../platform/graphql/scalars.js';
import { CustomValueFilter } from '../custom-fields/custom-field.type.js';
import { LicenseKeyScalar } from './license-key.scalar.js';
import type { LicenseStatus } from './license.entity.js';

export enum LicenseStatusEnum {
  active = 'active',
  suspended = 'suspended',
  revoked = 'revoked',
}
registerEnumType(LicenseStatusEnum, {
  name: 'LicenseStatus',
  description: "A license's stored state; expiry and bans are derived when it is validated.",
});

@ObjectType('License', { simpleResolvers: true })
export class LicenseObject {
  @Field(() => Int)
  id!: number;

  @Field(() => String)
  key!: string;

  @Field(() => LicenseStatusEnum)
  status!: LicenseStatus;

  @Field(() => Date, { nullable: true, description: 'Null: never.' })
  expiresAt!: Date | null;

  @Field(() => Int, { description: 'How many sessions may be open at once; -1: any number.' })
  seats!: number;

  @Field(() => String, { nullable: true })
  note!: string | null;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@ObjectType()
export class LicenseConnection extends connectionOf('License', () => LicenseObject) {}

@InputType()
abstract class LicenseFieldsInput {
  @Field(() => NameScalar, { nullable: true, description: 'Name of an existing product; null: none.' })
  product?: string | null;

  @Field(() => NameScalar, { nullable: true, description: 'Name of an existing customer; null: none.' })
  customer?: string | null;

  @Field(() => NameScalar, { nullable: true, description: 'Public id of an existing user; null: none.' })
  userId?: string | null;

  @Field(() => LicenseStatusEnum, { nullable: true })
  status?: LicenseStatus | null;

  @Field(() => Date, { nullable: true, description: 'Null: never.' })
  expiresAt?: Date | null;

  @Field(() => Int, { nullable: true, description: '-1 (unlimited) or more than 0.' })
  seats?: number | null;

  @Field(() => TextScalar, { nullable: true })
  note?: string | null;

  @Field(() => [NameScalar], {
    nullable: true,
    description: 'Names of existing addons; replaced as a whole.',
  })
  addons?: string[] | null;

  @Field(() => JsonObjectScalar, {
    nullable: true,
    description: 'Map from whitelist name to its values and limit, each optional; replaced as a whole.',
  })
  whitelists?: Record<string, unknown> | null;
}

@InputType()
export class CreateLicenseInput extends LicenseFieldsInput {
  @Field(() => LicenseKeyScalar, { nullable: true, description: 'Generated when absent.' })
  key?: string | null;
}

@InputType()
export class UpdateLicenseInput extends LicenseFieldsInput {
  @Field(() => LicenseKeyScalar, { nullable: true, description: 'Gives the license another key.' })
  newKey?: string | null;
}

@InputType()
export class LicenseFilterInput {
  @Field(() => String, { nullable: true, description: 'This key, however it is typed.' })
  key?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Part of the key or of the user's e-mail, whatever its case.",
  })
  search?: string | null;

  @Field(() => [CustomValueFilter], {
    nullable: true,
    description: 'All of these custom values of the product.',
  })
  productCustom?: CustomValueFilter[] | null;

  @Field(() => [CustomValueFilter], {
    nullable: true,
    description: 'All of these custom values of the customer.',
  })
  customerCustom?: CustomValueFilter[] | null;

  @Field(() => String, { nullable: true, description: 'Name of the product.' })
  product?: string | null;

  @Field(() => String, { nullable: true, description: 'Name of the customer.' })
  customer?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Public id of the user; a merged one leads to its user.',
  })
  user?: string | null;

  @Field(() => String, { nullable: true, description: 'Name of an addon that the license holds.' })
  addon?: string | null;

  @Field(() => LicenseStatusEnum, { nullable: true })
  status?: LicenseStatus | null;

  @Field(() => Date, { nullable: true })
  expiresAfter?: Date | null;

  @Field(() => Date, { nullable: true })
  expiresBefore?: Date | null;

  @Field(() => Boolean, { nullable: true })
  neverExpires?: boolean | null;
}

enum LicenseOrderField {
  id = 'id',
  key = 'key',
  createdAt = 'createdAt',
  updatedAt = 'updatedAt',
}

@InputType('LicenseOrder')
export class LicenseOrderInput extends orderOf('License', LicenseOrderField) {}
