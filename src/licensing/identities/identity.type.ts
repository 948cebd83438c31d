import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { connectionOf, orderOf } from '../../platform/graphql/connection.js';
import { JsonObjectScalar, NameScalar } from '../../platform/graphql/scalars.js';

@ObjectType('Identity', {
  simpleResolvers: true,
  description: 'Who a user is elsewhere: an account at a provider.',
})
export class IdentityObject {
  @Field(() => Int)
  id!: number;

  @Field(() => String, { description: 'For instance "discord".' })
  provider!: string;

  @Field(() => String, { description: 'The account there; unique together with the provider.' })
  providerId!: string;

  @Field(() => JsonObjectScalar, { description: 'By custom: username, display_name, avatar_url.' })
  metadata!: Record<string, unknown>;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@ObjectType()
export class IdentityConnection extends connectionOf('Identity', () => IdentityObject) {}

@InputType()
export abstract class IdentityFieldsInput {
  @Field(() => NameScalar)
  provider!: string;

  @Field(() => NameScalar)
  providerId!: string;

  @Field(() => JsonObjectScalar, { nullable: true, description: 'Up to 16 KiB.' })
  metadata?: Record<string, unknown> | null;
}

@InputType()
export class CreateIdentityInput extends IdentityFieldsInput {
  @Field(() => NameScalar, { description: 'Public id of an existing user.' })
  userId!: string;
}

@InputType('IdentityFilter')
export class IdentityFilterInput {
  @Field(() => String, {
    nullable: true,
    description: 'Public id of the user; a merged one leads to its user.',
  })
  user?: string | null;

  @Field(() => String, { nullable: true })
  provider?: string | null;

  @Field(() => String, { nullable: true })
  providerId?: string | null;
}

enum IdentityOrderField {
  id = 'id',
  provider = 'provider',
  providerId = 'providerId',
  createdAt = 'createdAt',
  updatedAt = 'updatedAt',
}

@InputType('IdentityOrder')
export class IdentityOrderInput extends orderOf('Identity', IdentityOrderField) {}
