import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import { DELETED, Deleted } from '../../platform/graphql/deleted.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { productById } from '../products/product.loaders.js';
import { ProductObject } from '../products/product.type.js';
import type { Mapping } from './mapping.entity.js';
import { findMappings } from './mapping.repository.js';
import { createMapping, deleteMapping, updateMapping } from './mapping.service.js';
import {
  CreateMarketplaceMappingInput,
  MappingConnection,
  MappingFilterInput,
  MappingObject,
  MappingOrderInput,
  UpdateMarketplaceMappingInput,
} from './mapping.type.js';
import { addonNamesByMapping } from './marketplace.loaders.js';

@Resolver(() => MappingObject)
export class MappingResolver {
  @Access('licensing:read')
  @Query(() => MappingConnection, { complexity: listComplexity })
  marketplaceMappings(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => MappingFilterInput, { nullable: true }) filter?: MappingFilterInput | null,
    @Arg('orderBy', () => MappingOrderInput, { nullable: true }) orderBy?: MappingOrderInput | null,
  ) {
    return findMappings(ctx.em, filter ?? {}, { first: page.first, after: page.after, orderBy });
  }

  @Access('licensing:write')
  @Mutation(() => MappingObject, {
    description: 'Purchases that have failed for want of it are looked at again by jobs.',
  })
  createMarketplaceMapping(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => CreateMarketplaceMappingInput) input: CreateMarketplaceMappingInput,
  ) {
    return createMapping(ctx.em, ctx, input);
  }

  @Access('licensing:write')
  @Mutation(() => MappingObject, { description: 'For what is bought from now on; absent members stay.' })
  updateMarketplaceMapping(
    @Ctx() ctx: RequestContext,
    @Arg('id', () => Int) id: number,
    @Arg('input', () => UpdateMarketplaceMappingInput) input: UpdateMarketplaceMappingInput,
  ) {
    return updateMapping(ctx.em, ctx, id, input);
  }

  @Access('licensing:write')
  @Mutation(() => Deleted, { description: 'What was bought stays as it is.' })
  async deleteMarketplaceMapping(@Ctx() ctx: RequestContext, @Arg('id', () => Int) id: number) {
    await deleteMapping(ctx.em, ctx, id);
    return DELETED;
  }

  @FieldResolver(() => ProductObject, { nullable: true })
  product(@Ctx() ctx: RequestContext, @Root() mapping: Mapping) {
    return ctx.load(productById, mapping.product.id);
  }

  @FieldResolver(() => String, { nullable: true })
  async productName(@Ctx() ctx: RequestContext, @Root() mapping: Mapping) {
    return (await this.product(ctx, mapping))?.name ?? null;
  }

  @FieldResolver(() => [String], { description: 'By name.' })
  addonNames(@Ctx() ctx: RequestContext, @Root() mapping: Mapping) {
    return ctx.load(addonNamesByMapping, mapping.id);
  }
}
