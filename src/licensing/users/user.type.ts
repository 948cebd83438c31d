import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionOf, orderOf } from '../../platform/graphql/connection.js';
import { NameScalar } from '../../platform/graphql/scalars.js';
import { IdentityFieldsInput } from '../identities/identity.type.js';
import type { UserStatus } from './user.entity.js';

export enum UserStatusEnum {
  active = 'active',
  banned = 'banned',
  merged = 'merged',
}
registerEnumType(UserStatusEnum, {
  name: 'UserStatus',
  description: 'merged: a tombstone, by which the user it was merged into is found.',
});

export enum SettableUserStatusEnum {
  active = 'active',
  banned = 'banned',
}
registerEnumType(SettableUserStatusEnum, {
  name: 'SettableUserStatus',
  description: 'banned: every validation of a license of this user says BANNED.',
});

@ObjectType('User', { simpleResolvers: true, description: 'A person who holds licenses.' })
export class UserObject {
  @Field(() => Int)
  id!: number;

  @Field(() => String, { description: 'The public id.' })
  userId!: string;

  @Field(() => String, { nullable: true })
  email!: string | null;

  @Field(() => String, { nullable: true })
  displayName!: string | null;

  @Field(() => UserStatusEnum)
  status!: UserStatus;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@ObjectType()
export class UserConnection extends connectionOf('User', () => UserObject) {}

@ObjectType('MergedUsers', {
  simpleResolvers: true,
  description: 'Public ids of the users that were merged, merged ones followed.',
})
export class MergedUsersObject {
  @Field(() => Boolean)
  merged!: boolean;

  @Field(() => String, { description: 'Who became a tombstone.' })
  from!: string;

  @Field(() => String, { description: 'Who has everything now.' })
  to!: string;
}

@InputType()
export class UpdateUserInput {
  @Field(() => NameScalar, { nullable: true, description: 'Compared whatever its case; not unique.' })
  email?: string | null;

  @Field(() => NameScalar, { nullable: true })
  displayName?: string | null;

  @Field(() => SettableUserStatusEnum, { nullable: true })
  status?: 'active' | 'banned' | null;
}

@InputType()
export class CreateUserInput extends UpdateUserInput {
  @Field(() => NameScalar, { nullable: true, description: 'Generated when absent.' })
  userId?: string | null;
}

@InputType()
export class LinkUserInput extends IdentityFieldsInput {
  @Field(() => NameScalar, { nullable: true, description: 'For a new user.' })
  email?: string | null;

  @Field(() => NameScalar, { nullable: true, description: 'For a new user.' })
  displayName?: string | null;
}

@InputType('UserFilter')
export class UserFilterInput {
  @Field(() => [String], {
    nullable: true,
    description: 'One of these public ids; merged ones lead to their user.',
  })
  userIds?: string[] | null;

  @Field(() => String, { nullable: true, description: 'This address, whatever its case.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Part of the address, whatever its case.' })
  emailContains?: string | null;

  @Field(() => UserStatusEnum, { nullable: true })
  status?: UserStatus | null;

  @Field(() => String, { nullable: true, description: 'Has an identity of this provider.' })
  provider?: string | null;
}

@InputType({ description: 'One of: userId; provider with providerId; email.' })
export class UserLookupInput {
  @Field(() => String, { nullable: true })
  userId?: string | null;

  @Field(() => String, { nullable: true })
  provider?: string | null;

  @Field(() => String, { nullable: true })
  providerId?: string | null;

  @Field(() => String, { nullable: true, description: 'May be the address of several users.' })
  email?: string | null;
}

enum UserOrderField {
  id = 'id',
  userId = 'userId',
  createdAt = 'createdAt',
  updatedAt = 'updatedAt',
}

@InputType('UserOrder')
export class UserOrderInput extends orderOf('User', UserOrderField) {}
