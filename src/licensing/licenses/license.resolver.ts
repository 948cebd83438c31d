import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { Batched, namesOf } from '../../platform/graphql/batched.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import { DELETED, Deleted } from '../../platform/graphql/deleted.js';
import { declaredOnly } from '../../platform/graphql/direct.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { AddonObject } from '../addons/addon.type.js';
import { CustomerObject } from '../customers/customer.type.js';
import { ProductObject } from '../products/product.type.js';
import { UserObject } from '../users/user.type.js';
import { seatsUsedByLicense } from '../sessions/session.loaders.js';
import type { License } from './license.entity.js';
import {
  addonsOfLicenses,
  customersOfLicenses,
  productsOfLicenses,
  usersOfLicenses,
} from './license.loaders.js';
import type { Licenses } from './license.loaders.js';
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

  @Batched(productsOfLicenses)
  @FieldResolver(() => ProductObject, { nullable: true })
  product() {
    return declaredOnly();
  }

  @Batched(async (ctx, licenses: Licenses) => namesOf(await productsOfLicenses(ctx, licenses)))
  @FieldResolver(() => String, { nullable: true })
  productName() {
    return declaredOnly();
  }

  @Batched(customersOfLicenses)
  @FieldResolver(() => CustomerObject, { nullable: true })
  customer() {
    return declaredOnly();
  }

  @Batched(async (ctx, licenses: Licenses) => namesOf(await customersOfLicenses(ctx, licenses)))
  @FieldResolver(() => String, { nullable: true })
  customerName() {
    return declaredOnly();
  }

  @Batched(usersOfLicenses)
  @FieldResolver(() => UserObject, { nullable: true })
  user() {
    return declaredOnly();
  }

  @Batched(async (ctx, licenses: Licenses) =>
    (await usersOfLicenses(ctx, licenses)).map((user) => user?.userId ?? null),
  )
  @FieldResolver(() => String, { nullable: true, description: 'Public id of the user.' })
  userId() {
    return declaredOnly();
  }

  @Batched(addonsOfLicenses)
  @FieldResolver(() => [AddonObject], { description: 'By name.' })
  addons() {
    return declaredOnly();
  }

  @Batched(async (ctx, licenses: Licenses) => (await addonsOfLicenses(ctx, licenses)).map(namesOf))
  @FieldResolver(() => [String])
  addonNames() {
    return declaredOnly();
  }

  @FieldResolver(() => Int, { description: 'How many of its seats are in use now.' })
  seatsUsed(@Ctx() ctx: RequestContext, @Root() license: License) {
    return ctx.load(seatsUsedByLicense, license.id);
  }
}
