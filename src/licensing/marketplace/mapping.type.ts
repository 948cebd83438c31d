import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { connectionOf, orderOf } from '../../platform/graphql/connection.js';
import { NameScalar } from '../../platform/graphql/scalars.js';

@ObjectType('MarketplaceMapping', {
  simpleResolvers: true,
  description: "Which product a marketplace's resource is, and what its licenses are like.",
})
export class MappingObject {
  @Field(() => Int)
  id!: number;

  @Field(() => String, { nullable: true, description: 'Null: on any marketplace.' })
  marketplace!: string | null;

  @Field(() => String)
  resourceId!: string;

  @Field(() => String, { nullable: true, description: 'Null: the resource itself.' })
  addonId!: string | null;

  @Field(() => Int, { nullable: true, description: 'How long a license lasts; null: for ever.' })
  durationDays!: number | null;

  @Field(() => Int, { description: 'How many sessions may be open at once; -1: any number.' })
  seats!: number;

  @Field(() => Int, { description: 'What a renewal adds.' })
  renewalDays!: number;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@ObjectType()
export class MappingConnection extends connectionOf('MarketplaceMapping', () => MappingObject) {}

@InputType()
abstract class MappingFieldsInput {
  @Field(() => [NameScalar], {
    nullable: true,
    description: "Names of existing addons: its licenses hold them; of a resource's addon, what it adds.",
  })
  addons?: string[] | null;

  @Field(() => Int, {
    nullable: true,
    description: '1–36500, from the creation of the license; null: for ever.',
  })
  durationDays?: number | null;

  @Field(() => Int, { nullable: true, description: '-1 (unlimited, the default) or more than 0.' })
  seats?: number | null;

  @Field(() => Int, { nullable: true, description: '1–36500; 30 when absent.' })
  renewalDays?: number | null;
}

@InputType()
export class CreateMarketplaceMappingInput extends MappingFieldsInput {
  @Field(() => NameScalar)
  resourceId!: string;

  @Field(() => NameScalar, {
    nullable: true,
    description: 'An addon of the resource; null: the resource itself.',
  })
  addonId?: string | null;

  @Field(() => NameScalar, { nullable: true, description: 'E.g. builtbybit or polymart; null: any.' })
  marketplace?: string | null;

  @Field(() => NameScalar, { description: 'Name of an existing product.' })
  product!: string;
}

@InputType()
export class UpdateMarketplaceMappingInput extends MappingFieldsInput {
  @Field(() => NameScalar, { nullable: true, description: 'Name of an existing product.' })
  product?: string | null;
}

@InputType('MarketplaceMappingFilter')
export class MappingFilterInput {
  @Field(() => String, { nullable: true })
  marketplace?: string | null;

  @Field(() => String, { nullable: true })
  resourceId?: string | null;

  @Field(() => String, { nullable: true, description: 'Name of the product.' })
  product?: string | null;
}

enum MappingOrderField {
  id = 'id',
  resourceId = 'resourceId',
  createdAt = 'createdAt',
  updatedAt = 'updatedAt',
}

@InputType('MarketplaceMappingOrder')
export class MappingOrderInput extends orderOf('MarketplaceMapping', MappingOrderField) {}
