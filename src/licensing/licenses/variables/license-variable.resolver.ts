import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';
import { Access } from '../../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../../platform/graphql/connection.js';
import type { RequestContext } from '../../../platform/graphql/request-context.js';
import { listLicenseVariables } from './license-variable.service.js';
import { VariableConnection } from '../../variables/variable.type.js';

@Resolver()
export class LicenseVariableResolver {
  @Access('licensing:read')
  @Query(() => VariableConnection, {
    complexity: listComplexity,
    description: "A license's own variables; LICENSE_NOT_FOUND where there is no such license.",
  })
  licenseVariables(
    @Ctx() ctx: RequestContext,
    @Arg('license', () => String) license: string,
    @Args(() => PageArgs) { first, after }: PageArgs,
  ) {
    return listLicenseVariables(ctx.em, license, { first, after });
  }
}
