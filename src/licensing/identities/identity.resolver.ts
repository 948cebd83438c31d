import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import { DELETED, Deleted } from '../../platform/graphql/deleted.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { userById } from '../users/user.loaders.js';
import { UserObject } from '../users/user.type.js';
import type { Identity } from './identity.entity.js';
import { findIdentities } from './identity.repository.js';
import { createIdentity, deleteIdentity } from './identity.service.js';
import {
  CreateIdentityInput,
  IdentityConnection,
  IdentityFilterInput,
  IdentityObject,
  IdentityOrderInput,
} from './identity.type.js';

@Resolver(() => IdentityObject)
export class IdentityResolver {
  @Access('licensing:read')
  @Query(() => IdentityConnection, { complexity: listComplexity })
  identities(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => IdentityFilterInput, { nullable: true }) filter?: IdentityFilterInput | null,
    @Arg('orderBy', () => IdentityOrderInput, { nullable: true }) orderBy?: IdentityOrderInput | null,
  ) {
    return findIdentities(ctx.em, filter ?? {}, { first: page.first, after: page.after, orderBy });
  }

  @Access('licensing:write')
  @Mutation(() => IdentityObject, { description: 'Gives a user an identity that nobody has yet.' })
  createIdentity(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => CreateIdentityInput) input: CreateIdentityInput,
  ) {
    return createIdentity(ctx.em, ctx, input);
  }

  @Access('licensing:write')
  @Mutation(() => Deleted, { description: 'Takes an identity from its user, who stays.' })
  async deleteIdentity(
    @Ctx() ctx: RequestContext,
    @Arg('provider', () => String) provider: string,
    @Arg('providerId', () => String) providerId: string,
  ) {
    await deleteIdentity(ctx.em, ctx, provider, providerId);
    return DELETED;
  }

  @FieldResolver(() => UserObject, { nullable: true })
  user(@Ctx() ctx: RequestContext, @Root() identity: Identity) {
    return ctx.load(userById, identity.user.id);
  }

  @FieldResolver(() => String, { nullable: true, description: 'Public id of the user.' })
  async userId(@Ctx() ctx: RequestContext, @Root() identity: Identity) {
    return (await this.user(ctx, identity))?.userId ?? null;
  }
}
