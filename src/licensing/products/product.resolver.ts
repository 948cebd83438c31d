import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import { DELETED, Deleted } from '../../platform/graphql/deleted.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { JsonObjectScalar } from '../../platform/graphql/scalars.js';
import { customFieldsByRecord } from '../custom-fields/custom-field.loaders.js';
import { shownCustomValues } from '../custom-fields/custom-field.rules.js';
import { findNamedRecords } from '../custom-fields/named-record.repository.js';
import { NamedRecordFilter, NamedRecordOrder } from '../custom-fields/named-record.type.js';
import { PRODUCT } from '../custom-fields/named-records.js';
import type { Product } from './product.entity.js';
import { addonNamesByProduct, whitelistNamesByProduct } from './product.loaders.js';
import { createProduct, deleteProduct, updateProduct } from './product.service.js';
import { CreateProductInput, ProductConnection, ProductObject, UpdateProductInput } from './product.type.js';

@Resolver(() => ProductObject)
export class ProductResolver {
  @Access('licensing:read')
  @Query(() => ProductConnection, { complexity: listComplexity })
  products(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => NamedRecordFilter, { nullable: true }) filter?: NamedRecordFilter | null,
    @Arg('orderBy', () => NamedRecordOrder, { nullable: true }) orderBy?: NamedRecordOrder | null,
  ) {
    return findNamedRecords(ctx.em, PRODUCT, filter ?? {}, { first: page.first, after: page.after, orderBy });
  }

  @Access('licensing:write')
  @Mutation(() => ProductObject)
  createProduct(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => CreateProductInput) input: CreateProductInput,
  ) {
    return createProduct(ctx.em, ctx, input);
  }

  @Access('licensing:write')
  @Mutation(() => ProductObject, { description: 'Changes what is given; absent members stay.' })
  updateProduct(
    @Ctx() ctx: RequestContext,
    @Arg('name', () => String) name: string,
    @Arg('input', () => UpdateProductInput) input: UpdateProductInput,
  ) {
    return updateProduct(ctx.em, ctx, name, input);
  }

  @Access('licensing:write')
  @Mutation(() => Deleted, {
    description: 'IN_USE when licenses refer to it; force unlinks and suspends them.',
  })
  async deleteProduct(
    @Ctx() ctx: RequestContext,
    @Arg('name', () => String) name: string,
    @Arg('force', () => Boolean, { nullable: true }) force?: boolean | null,
  ) {
    await deleteProduct(ctx.em, ctx, name, { force: force ?? false });
    return DELETED;
  }

  @FieldResolver(() => [String], { description: 'Names of the attached addons.' })
  addonNames(@Ctx() ctx: RequestContext, @Root() product: Product) {
    return ctx.load(addonNamesByProduct, product.id);
  }

  @FieldResolver(() => [String], { description: 'Names of the attached whitelists.' })
  whitelistNames(@Ctx() ctx: RequestContext, @Root() product: Product) {
    return ctx.load(whitelistNamesByProduct, product.id);
  }

  @FieldResolver(() => JsonObjectScalar, {
    description: 'Every defined custom field; null where it has no value.',
  })
  async custom(@Ctx() ctx: RequestContext, @Root() product: Product) {
    return shownCustomValues(await ctx.load(customFieldsByRecord, 'product'), product.custom);
  }
}
