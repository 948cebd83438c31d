import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../../platform/graphql/connection.js';
import type { RequestContext } from '../../../platform/graphql/request-context.js';
import { LicenseFilterInput } from '../license.type.js';
import {
  CreateLicensesInput,
  CreatedLicenses,
  ImportedLicenses,
  LicenseCsvPageObject,
  OnExistingEnum,
} from './bulk-license.type.js';
import { createLicenses } from './create-licenses.service.js';
import { exportLicenses } from './export-licenses.service.js';
import { importLicenses } from './import-licenses.service.js';
import { readLicenseCsv } from './read-license-csv.js';

@Resolver()
export class BulkLicenseResolver {
  @Access('licensing:write')
  @Mutation(() => CreatedLicenses, { description: 'Creates up to 10 000 licenses, all or none.' })
  async createLicenses(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => CreateLicensesInput) input: CreateLicensesInput,
  ) {
    const keys = await createLicenses(ctx.em, ctx, input);
    return { count: keys.length, keys };
  }

  @Access('licensing:write')
  @Mutation(() => ImportedLicenses, {
    description: 'Imports up to 10 000 licenses, all or none. Errors point at /csv/<line>/<column>.',
  })
  importLicenses(
    @Ctx() ctx: RequestContext,
    @Arg('csv', () => String, { description: 'With a header line, as exportLicenses writes it.' })
    csv: string,
    @Arg('onExisting', () => OnExistingEnum, { defaultValue: OnExistingEnum.error })
    onExisting: OnExistingEnum,
  ) {
    return importLicenses(ctx.em, ctx, readLicenseCsv(csv), { onExisting });
  }

  @Access('licensing:read')
  @Query(() => LicenseCsvPageObject, {
    complexity: listComplexity,
    description: 'Licenses as CSV, in id order; pages are put together by concatenation.',
  })
  exportLicenses(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => LicenseFilterInput, { nullable: true }) filter?: LicenseFilterInput | null,
  ) {
    return exportLicenses(ctx.em, filter ?? {}, { first: page.first, after: page.after });
  }
}
