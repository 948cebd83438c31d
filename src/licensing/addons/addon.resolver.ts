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
import { ADDON } from '../custom-fields/named-records.js';
import type { Addon } from './addon.entity.js';
import { attachAddon, createAddon, deleteAddon, detachAddon, updateAddon } from './addon.service.js';
import { CreateAddonInput, AddonConnection, AddonObject, UpdateAddonInput } from './addon.type.js';

@Resolver(() => AddonObject)
export class AddonResolver {
  @Access('licensing:read')
  @Query(() => AddonConnection, { complexity: listComplexity })
  addons(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => NamedRecordFilter, { nullable: true }) filter?: NamedRecordFilter | null,
    @Arg('orderBy', () => NamedRecordOrder, { nullable: true }) orderBy?: NamedRecordOrder | null,
  ) {
    return findNamedRecords(ctx.em, ADDON, filter ?? {}, { first: page.first, after: page.after, orderBy });
  }

  @Access('licensing:write')
  @Mutation(() => AddonObject)
  createAddon(@Ctx() ctx: RequestContext, @Arg('input', () => CreateAddonInput) input: CreateAddonInput) {
    return createAddon(ctx.em, ctx, input);
  }

  @Access('licensing:write')
  @Mutation(() => AddonObject, { description: 'Changes what is given; absent members stay.' })
  updateAddon(
    @Ctx() ctx: RequestContext,
    @Arg('name', () => String) name: string,
    @Arg('input', () => UpdateAddonInput) input: UpdateAddonInput,
  ) {
    return updateAddon(ctx.em, ctx, name, input);
  }

  @Access('licensing:write')
  @Mutation(() => Deleted, { description: 'IN_USE when licenses hold it; force takes it from them.' })
  async deleteAddon(
    @Ctx() ctx: RequestContext,
    @Arg('name', () => String) name: string,
    @Arg('force', () => Boolean, { nullable: true }) force?: boolean | null,
  ) {
    await deleteAddon(ctx.em, ctx, name, { force: force ?? false });
    return DELETED;
  }

  @Access('licensing:write')
  @Mutation(() => [String], { description: "The names of the product's addons afterwards." })
  attachAddon(
    @Ctx() ctx: RequestContext,
    @Arg('addon', () => String) addon: string,
    @Arg('product', () => String) product: string,
  ) {
    return attachAddon(ctx.em, ctx, addon, product);
  }

  @Access('licensing:write')
  @Mutation(() => [String], { description: "The names of the product's addons afterwards." })
  detachAddon(
    @Ctx() ctx: RequestContext,
    @Arg('addon', () => String) addon: string,
    @Arg('product', () => String) product: string,
  ) {
    return detachAddon(ctx.em, ctx, addon, product);
  }

  @FieldResolver(() => JsonObjectScalar, {
    description: 'Every defined custom field; null where it has no value.',
  })
  async custom(@Ctx() ctx: RequestContext, @Root() addon: Addon) {
    return shownCustomValues(await ctx.load(customFieldsByRecord, 'addon'), addon.custom);
  }
}
