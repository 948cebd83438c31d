import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionOf, orderOf } from '../../platform/graphql/connection.js';
import { NameScalar } from '../../platform/graphql/scalars.js';
import type { WhitelistType } from './whitelist.entity.js';

export enum WhitelistTypeEnum {
  header = 'header',
  field = 'field',
  ip = 'ip',
}
registerEnumType(WhitelistTypeEnum, {
  name: 'WhitelistType',
  description: "Where a validation's value is read: a header, a member of its body, or the client's address.",
});

const LIMIT = 'How many values a license may hold: -1 any number, 0 only what an administrator sets, 1–1000.';

@ObjectType('Whitelist', {
  simpleResolvers: true,
  description: 'A list on which each license holds values of its own.',
})
export class WhitelistObject {
  @Field(() => Int)
  id!: number;

  @Field(() => String)
  name!: string;

  @Field(() => WhitelistTypeEnum)
  type!: WhitelistType;

  @Field(() => String, { nullable: true, description: 'The header to read, for type header.' })
  header!: string | null;

  @Field(() => String, { nullable: true, description: 'The body member to read, for type field.' })
  field!: string | null;

  @Field(() => Int, { description: LIMIT })
  limit!: number;

  @Field(() => Boolean, { description: 'Enforced for every license, whatever its product.' })
  global!: boolean;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@ObjectType()
export class WhitelistConnection extends connectionOf('Whitelist', () => WhitelistObject) {}

@InputType()
abstract class WhitelistFieldsInput {
  @Field(() => String, {
    nullable: true,
    description: 'The header to read; for type header, and only there.',
  })
  header?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The body member to read; for type field, and only there.',
  })
  field?: string | null;

  @Field(() => Int, { nullable: true, description: `${LIMIT} 1 when absent.` })
  limit?: number | null;

  @Field(() => Boolean, { nullable: true })
  global?: boolean | null;
}

@InputType()
export class CreateWhitelistInput extends WhitelistFieldsInput {
  @Field(() => NameScalar)
  name!: string;

  @Field(() => WhitelistTypeEnum)
  type!: WhitelistType;
}

@InputType()
export class UpdateWhitelistInput extends WhitelistFieldsInput {
  @Field(() => NameScalar, { nullable: true, description: 'Renames; every reference follows.' })
  newName?: string | null;

  @Field(() => WhitelistTypeEnum, { nullable: true })
  type?: WhitelistType | null;
}

@InputType()
export class WhitelistFilterInput {
  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => WhitelistTypeEnum, { nullable: true })
  type?: WhitelistType | null;

  @Field(() => Boolean, { nullable: true })
  global?: boolean | null;
}

enum WhitelistOrderField {
  id = 'id',
  name = 'name',
  createdAt = 'createdAt',
  updatedAt = 'updatedAt',
}

@InputType('WhitelistOrder')
export class WhitelistOrderInput extends orderOf('Whitelist', WhitelistOrderField) {}
