import { Arg, Ctx, FieldResolver, Int, Mutation, Query, Resolver } from 'type-graphql';
import { InvalidField } from '../../../platform/errors.js';
import { Access } from '../../../platform/graphql/access.js';
import { Batched } from '../../../platform/graphql/batched.js';
import { DELETED, Deleted } from '../../../platform/graphql/deleted.js';
import { declaredOnly } from '../../../platform/graphql/direct.js';
import type { RequestContext } from '../../../platform/graphql/request-context.js';
import { JsonObjectScalar } from '../../../platform/graphql/scalars.js';
import type { Licenses } from '../license.loaders.js';
import { LicenseObject } from '../license.type.js';
import { whitelistEntriesOfLicenses } from './license-whitelist.loaders.js';
import { shownWhitelists } from './license-whitelist.repository.js';
import {
  addLicenseWhitelistValue,
  clearLicenseWhitelist,
  listLicenseWhitelists,
  setLicenseWhitelistLimit,
} from './license-whitelist.service.js';
import { LicenseWhitelistEntryObject } from './license-whitelist.type.js';

@Resolver(() => LicenseObject)
export class LicenseWhitelistResolver {
  @Access('licensing:read')
  @Query(() => [LicenseWhitelistEntryObject], {
    description: 'The lists that are enforced for a license, or that it has values or a limit of its own on.',
  })
  licenseWhitelists(@Ctx() ctx: RequestContext, @Arg('license', () => String) license: string) {
    return listLicenseWhitelists(ctx.em, license);
  }

  @Access('licensing:write')
  @Mutation(() => LicenseWhitelistEntryObject, {
    description:
      'WHITELIST_LIMIT_REACHED when the list is full; a value that is there already changes nothing.',
  })
  addLicenseWhitelistValue(
    @Ctx() ctx: RequestContext,
    @Arg('license', () => String) license: string,
    @Arg('whitelist', () => String) whitelist: string,
    @Arg('value', () => String) value: string,
  ) {
    return addLicenseWhitelistValue(ctx.em, ctx, license, whitelist, value);
  }

  @Access('licensing:write')
  @Mutation(() => LicenseWhitelistEntryObject, {
    description: "A limit of the license's own; null goes back to the definition's. Values stay.",
  })
  setLicenseWhitelistLimit(
    @Ctx() ctx: RequestContext,
    @Arg('license', () => String) license: string,
    @Arg('whitelist', () => String) whitelist: string,
    @Arg('limit', () => Int, { nullable: true, description: 'Required; may be null.' }) limit?: number | null,
  ) {
    if (limit === undefined)
      throw new InvalidField('limit', "is required; null goes back to the definition's");
    return setLicenseWhitelistLimit(ctx.em, ctx, license, whitelist, limit);
  }

  @Access('licensing:write')
  @Mutation(() => Deleted, { description: 'Takes every value off the list, or only the given one.' })
  async clearLicenseWhitelist(
    @Ctx() ctx: RequestContext,
    @Arg('license', () => String) license: string,
    @Arg('whitelist', () => String) whitelist: string,
    @Arg('value', () => String, { nullable: true }) value?: string | null,
  ) {
    await clearLicenseWhitelist(ctx.em, ctx, license, whitelist, { value });
    return DELETED;
  }

  @Batched(async (ctx, licenses: Licenses) =>
    (await whitelistEntriesOfLicenses(ctx, licenses)).map(shownWhitelists),
  )
  @FieldResolver(() => JsonObjectScalar, { description: 'Map from whitelist name to its values and limit.' })
  whitelists() {
    return declaredOnly();
  }

  @Batched(whitelistEntriesOfLicenses)
  @FieldResolver(() => [LicenseWhitelistEntryObject], { description: 'The same as whitelists, in full.' })
  whitelistEntries() {
    return declaredOnly();
  }
}
