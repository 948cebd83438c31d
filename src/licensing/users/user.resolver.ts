import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import { DELETED, Deleted } from '../../platform/graphql/deleted.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { IdentityObject } from '../identities/identity.type.js';
import { LicenseConnection, LicenseObject } from '../licenses/license.type.js';
import { deleteUser } from './user-deletion.service.js';
import type { User } from './user.entity.js';
import { findUserLicenses } from './user-licenses.service.js';
import { linkUser } from './user-link.service.js';
import { identitiesByUser, licensesByUser, userById } from './user.loaders.js';
import { mergeUsers } from './user-merge.service.js';
import { findUsers } from './user.repository.js';
import { createUser, findUser, updateUser } from './user.service.js';
import {
  CreateUserInput,
  LinkUserInput,
  MergedUsersObject,
  UpdateUserInput,
  UserConnection,
  UserFilterInput,
  UserLookupInput,
  UserObject,
  UserOrderInput,
} from './user.type.js';

const FIRST = { nullable: true, description: '1–500; 50 when absent.' } as const;

@Resolver(() => UserObject)
export class UserResolver {
  @Access('licensing:read')
  @Query(() => UserConnection, { complexity: listComplexity })
  users(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => UserFilterInput, { nullable: true }) filter?: UserFilterInput | null,
    @Arg('orderBy', () => UserOrderInput, { nullable: true }) orderBy?: UserOrderInput | null,
  ) {
    return findUsers(ctx.em, filter ?? {}, { first: page.first, after: page.after, orderBy });
  }

  @Access('licensing:read')
  @Query(() => UserObject, { description: 'The user a public id reaches; a merged one leads to its user.' })
  user(@Ctx() ctx: RequestContext, @Arg('userId', () => String) userId: string) {
    return findUser(ctx.em, userId);
  }

  @Access('licensing:read')
  @Query(() => LicenseConnection, {
    complexity: listComplexity,
    description: 'The licenses of whoever is meant; nobody is USER_NOT_FOUND.',
  })
  userLicenses(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('user', () => UserLookupInput) user: UserLookupInput,
  ) {
    return findUserLicenses(ctx.em, user, { first: page.first, after: page.after });
  }

  @Access('licensing:write')
  @Mutation(() => UserObject)
  createUser(@Ctx() ctx: RequestContext, @Arg('input', () => CreateUserInput) input: CreateUserInput) {
    return createUser(ctx.em, ctx, input);
  }

  @Access('licensing:write')
  @Mutation(() => UserObject, { description: 'Changes what is given; absent members stay.' })
  updateUser(
    @Ctx() ctx: RequestContext,
    @Arg('userId', () => String) userId: string,
    @Arg('input', () => UpdateUserInput) input: UpdateUserInput,
  ) {
    return updateUser(ctx.em, ctx, userId, input);
  }

  @Access('licensing:write')
  @Mutation(() => Deleted, {
    description:
      'Deletes the user with its identities and tombstones. IN_USE when it has licenses; force unlinks and suspends them.',
  })
  async deleteUser(
    @Ctx() ctx: RequestContext,
    @Arg('userId', () => String) userId: string,
    @Arg('force', () => Boolean, { nullable: true }) force?: boolean | null,
  ) {
    await deleteUser(ctx.em, ctx, userId, { force: force ?? false });
    return DELETED;
  }

  @Access('licensing:write')
  @Mutation(() => UserObject, { description: 'The user of an identity; creates both when nobody has it.' })
  linkUser(@Ctx() ctx: RequestContext, @Arg('input', () => LinkUserInput) input: LinkUserInput) {
    return linkUser(ctx.em, ctx, input);
  }

  @Access('licensing:write')
  @Mutation(() => MergedUsersObject, {
    description: 'Moves all that one user has to another, and leaves a tombstone that leads there.',
  })
  async mergeUsers(
    @Ctx() ctx: RequestContext,
    @Arg('from', () => String) from: string,
    @Arg('to', () => String) to: string,
  ) {
    return { merged: true, ...(await mergeUsers(ctx.em, ctx, from, to)) };
  }

  @FieldResolver(() => UserObject, { nullable: true, description: 'Who a merged user is now.' })
  mergedInto(@Ctx() ctx: RequestContext, @Root() user: User) {
    return user.mergedInto && ctx.load(userById, user.mergedInto.id);
  }

  @FieldResolver(() => String, { nullable: true, description: 'Public id of who a merged user is now.' })
  async mergedIntoUserId(@Ctx() ctx: RequestContext, @Root() user: User) {
    return (await this.mergedInto(ctx, user))?.userId ?? null;
  }

  @FieldResolver(() => [IdentityObject], {
    complexity: listComplexity,
    description: 'The first ones, by id; the query `identities` has all, page by page.',
  })
  identities(
    @Ctx() ctx: RequestContext,
    @Root() user: User,
    @Arg('first', () => Int, FIRST) first?: number | null,
  ) {
    return ctx.load(identitiesByUser, { id: user.id, first });
  }

  @FieldResolver(() => [LicenseObject], {
    complexity: listComplexity,
    description: 'The first ones, by id; the query `licenses` has all, page by page.',
  })
  licenses(
    @Ctx() ctx: RequestContext,
    @Root() user: User,
    @Arg('first', () => Int, FIRST) first?: number | null,
  ) {
    return ctx.load(licensesByUser, { id: user.id, first });
  }
}
