import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import { DELETED, Deleted } from '../../platform/graphql/deleted.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { attachWhitelist, detachWhitelist } from './whitelist-attachment.service.js';
import { findWhitelists } from './whitelist.repository.js';
import { createWhitelist, deleteWhitelist, updateWhitelist } from './whitelist.service.js';
import {
  CreateWhitelistInput,
  UpdateWhitelistInput,
  WhitelistConnection,
  WhitelistFilterInput,
  WhitelistObject,
  WhitelistOrderInput,
} from './whitelist.type.js';

@Resolver(() => WhitelistObject)
export class WhitelistResolver {
  @Access('licensing:read')
  @Query(() => WhitelistConnection, { complexity: listComplexity })
  whitelists(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => WhitelistFilterInput, { nullable: true }) filter?: WhitelistFilterInput | null,
    @Arg('orderBy', () => WhitelistOrderInput, { nullable: true }) orderBy?: WhitelistOrderInput | null,
  ) {
    return findWhitelists(ctx.em, filter ?? {}, { first: page.first, after: page.after, orderBy });
  }

  @Access('licensing:write')
  @Mutation(() => WhitelistObject)
  createWhitelist(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => CreateWhitelistInput) input: CreateWhitelistInput,
  ) {
    return createWhitelist(ctx.em, ctx, input);
  }

  @Access('licensing:write')
  @Mutation(() => WhitelistObject, {
    description: 'Changes what is given; absent members stay. IN_USE when values would have to be addresses.',
  })
  updateWhitelist(
    @Ctx() ctx: RequestContext,
    @Arg('name', () => String) name: string,
    @Arg('input', () => UpdateWhitelistInput) input: UpdateWhitelistInput,
  ) {
    return updateWhitelist(ctx.em, ctx, name, input);
  }

  @Access('licensing:write')
  @Mutation(() => Deleted, { description: 'Deletes the list with all values that licenses hold on it.' })
  async deleteWhitelist(@Ctx() ctx: RequestContext, @Arg('name', () => String) name: string) {
    await deleteWhitelist(ctx.em, ctx, name);
    return DELETED;
  }

  @Access('licensing:write')
  @Mutation(() => [String], { description: "The names of the product's whitelists afterwards." })
  attachWhitelist(
    @Ctx() ctx: RequestContext,
    @Arg('whitelist', () => String) whitelist: string,
    @Arg('product', () => String) product: string,
  ) {
    return attachWhitelist(ctx.em, ctx, whitelist, product);
  }

  @Access('licensing:write')
  @Mutation(() => [String], { description: "The names of the product's whitelists afterwards." })
  detachWhitelist(
    @Ctx() ctx: RequestContext,
    @Arg('whitelist', () => String) whitelist: string,
    @Arg('product', () => String) product: string,
  ) {
    return detachWhitelist(ctx.em, ctx, whitelist, product);
  }
}
