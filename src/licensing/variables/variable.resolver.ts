import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import { DELETED, Deleted } from '../../platform/graphql/deleted.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { productById } from '../products/product.loaders.js';
import { findVariableOwner } from './variable-owner.repository.js';
import type { Variable } from './variable.entity.js';
import { licenseById } from './variable.loaders.js';
import { findVariables } from './variable.repository.js';
import { createVariable, deleteVariable, setVariable, updateVariable } from './variable.service.js';
import {
  SetVariableResult,
  VariableConnection,
  VariableFilterInput,
  VariableInput,
  VariableObject,
  VariableOrderInput,
  VariableRefInput,
} from './variable.type.js';

@Resolver(() => VariableObject)
export class VariableResolver {
  @Access('licensing:read')
  @Query(() => VariableConnection, { complexity: listComplexity })
  variables(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => VariableFilterInput, { nullable: true }) filter?: VariableFilterInput | null,
    @Arg('orderBy', () => VariableOrderInput, { nullable: true }) orderBy?: VariableOrderInput | null,
  ) {
    return findVariables(ctx.em, filter ?? {}, { first: page.first, after: page.after, orderBy });
  }

  @Access('licensing:write')
  @Mutation(() => VariableObject, { description: 'ALREADY_EXISTS when the key is there.' })
  async createVariable(@Ctx() ctx: RequestContext, @Arg('input', () => VariableInput) input: VariableInput) {
    return createVariable(ctx.em, ctx, await findVariableOwner(ctx.em, input), input);
  }

  @Access('licensing:write')
  @Mutation(() => VariableObject, { description: 'Without a value: null. The key must be there.' })
  async updateVariable(@Ctx() ctx: RequestContext, @Arg('input', () => VariableInput) input: VariableInput) {
    return updateVariable(ctx.em, ctx, await findVariableOwner(ctx.em, input), input);
  }

  @Access('licensing:write')
  @Mutation(() => SetVariableResult, { description: 'Sets the value, whether the key is there or not.' })
  async setVariable(@Ctx() ctx: RequestContext, @Arg('input', () => VariableInput) input: VariableInput) {
    return setVariable(ctx.em, ctx, await findVariableOwner(ctx.em, input), input);
  }

  @Access('licensing:write')
  @Mutation(() => Deleted)
  async deleteVariable(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => VariableRefInput) input: VariableRefInput,
  ) {
    await deleteVariable(ctx.em, ctx, await findVariableOwner(ctx.em, input), input.key);
    return DELETED;
  }

  @FieldResolver(() => String, { description: 'Empty for global, the name of a product, or a license key.' })
  async owner(@Ctx() ctx: RequestContext, @Root() { product, license }: Variable) {
    if (product) return (await ctx.load(productById, product.id))?.name ?? '';
    return license ? ((await ctx.load(licenseById, license.id))?.key ?? '') : '';
  }
}
