import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import { DELETED, Deleted } from '../../platform/graphql/deleted.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { AddonObject } from '../addons/addon.type.js';
import { customerById } from '../customers/customer.loaders.js';
import { CustomerObject } from '../customers/customer.type.js';
import { productById } from '../products/product.loaders.js';
import { ProductObject } from '../products/product.type.js';
import { userById } from '../users/user.loaders.js';
import { UserObject } from '../users/user.type.js';
import { seatsUsedByLicense } from '../sessions/session.loaders.js';
import type { License } from './license.entity.js';
import { addonById, addonIdsByLicense } from './license.loaders.js';
import { findLicenses } from './license.repository.js';
import { createLicense, deleteLicense, findLicense, updateLicense } from './license.service.js';
import {
  CreateLicenseInput,
  LicenseConnection,
  LicenseFilterInput,
  LicenseObject,
  LicenseOrderInput,
  UpdateLicenseInput,
} from './license.type.js';

@Resolver(() => LicenseObject)
export class LicenseResolver {
  @Access('licensing:read')
  @Query(() => LicenseConnection, { complexity: listComplexity })
  licenses(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => LicenseFilterInput, { nullable: true }) filter?: LicenseFilterInput | null,
    @Arg('orderBy', () => LicenseOrderInput, { nullable: true }) orderBy?: LicenseOrderInput | null,
  ) {
    return findLicenses(ctx.em, filter ?? {}, { first: page.first, after: page.after, orderBy });
  }

  @Access('licensing:read')
  @Query(() => LicenseObject, { description: 'The license of a key, however it is typed.' })
  license(@Ctx() ctx: RequestContext, @Arg('key', () => String) key: string) {
    return findLicense(ctx.em, key);
  }

  @Access('licensing:write')
  @Mutation(() => LicenseObject)
  createLicense(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => CreateLicenseInput) input: CreateLicenseInput,
  ) {
    return createLicense(ctx.em, ctx, input);
  }

  @Access('licensing:write')
  @Mutation(() => LicenseObject, { description: 'Changes what is given; absent members stay.' })
  updateLicense(
    @Ctx() ctx: RequestContext,
    @Arg('key', () => String) key: string,
    @Arg('input', () => UpdateLicenseInput) input: UpdateLicenseInput,
  ) {
    return updateLicense(ctx.em, ctx, key, input);
  }

  @Access('licensing:write')
  @Mutation(() => Deleted, { description: 'Deletes the license and closes its sessions.' })
  async deleteLicense(@Ctx() ctx: RequestContext, @Arg('key', () => String) key: string) {
    await deleteLicense(ctx.em, ctx, key);
    return DELETED;
  }

  @FieldResolver(() => ProductObject, { nullable: true })
  product(@Ctx() ctx: RequestContext, @Root() license: License) {
    return license.product && ctx.load(productById, license.product.id);
  }

  @FieldResolver(() => String, { nullable: true })
  async productName(@Ctx() ctx: RequestContext, @Root() license: License) {
    return (await this.product(ctx, license))?.name ?? null;
  }

  @FieldResolver(() => CustomerObject, { nullable: true })
  customer(@Ctx() ctx: RequestContext, @Root() license: License) {
    return license.customer && ctx.load(customerById, license.customer.id);
  }

  @FieldResolver(() => String, { nullable: true })
  async customerName(@Ctx() ctx: RequestContext, @Root() license: License) {
    return (await this.customer(ctx, license))?.name ?? null;
  }

  @FieldResolver(() => UserObject, { nullable: true })
  user(@Ctx() ctx: RequestContext, @Root() license: License) {
    return license.user && ctx.load(userById, license.user.id);
  }

  @FieldResolver(() => String, { nullable: true, description: 'Public id of the user.' })
  async userId(@Ctx() ctx: RequestContext, @Root() license: License) {
    return (await this.user(ctx, license))?.userId ?? null;
  }

  @FieldResolver(() => [AddonObject], { description: 'By name.' })
  async addons(@Ctx() ctx: RequestContext, @Root() license: License) {
    const ids = await ctx.load(addonIdsByLicense, license.id);
    const addons = await Promise.all(ids.map((id) => ctx.load(addonById, id)));
    return addons.filter((addon) => addon !== null);
  }

  @FieldResolver(() => [String])
  async addonNames(@Ctx() ctx: RequestContext, @Root() license: License) {
    return (await this.addons(ctx, license)).map((addon) => addon.name);
  }

  @FieldResolver(() => Int, { description: 'How many of its seats are in use now.' })
  seatsUsed(@Ctx() ctx: RequestContext, @Root() license: License) {
    return ctx.load(seatsUsedByLicense, license.id);
  }
}
