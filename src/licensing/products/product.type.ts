import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { connectionOf } from '../../platform/graphql/connection.js';
import { NameScalar } from '../../platform/graphql/scalars.js';
import { CreateNamedInput, NamedRecordObject, UpdateNamedInput } from '../custom-fields/named-record.type.js';

@ObjectType('Product', {
  simpleResolvers: true,
  description: 'Something that is sold: licenses are for one.',
})
export class ProductObject extends NamedRecordObject {
  @Field(() => Int, {
    nullable: true,
    description: "Life of its sessions in seconds; null: the server's default.",
  })
  sessionTtl!: number | null;
}

@ObjectType()
export class ProductConnection extends connectionOf('Product', () => ProductObject) {}

@InputType()
export class CreateProductInput extends CreateNamedInput {
  @Field(() => [NameScalar], { nullable: true, description: 'Names of existing addons.' })
  addons?: string[] | null;

  @Field(() => [NameScalar], { nullable: true, description: 'Names of existing whitelists.' })
  whitelists?: string[] | null;

  @Field(() => Int, { nullable: true, description: 'Seconds, 60–86400.' })
  sessionTtl?: number | null;
}

@InputType()
export class UpdateProductInput extends UpdateNamedInput {
  @Field(() => [NameScalar], { nullable: true, description: 'Replaces the attached addons.' })
  addons?: string[] | null;

  @Field(() => [NameScalar], { nullable: true, description: 'Replaces the attached whitelists.' })
  whitelists?: string[] | null;

  @Field(() => Int, { nullable: true, description: "Seconds, 60–86400; null: the server's default." })
  sessionTtl?: number | null;
}
