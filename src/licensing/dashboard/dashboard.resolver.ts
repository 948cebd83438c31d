import { Arg, Ctx, FieldResolver, Int, Query, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { countLicenses, countOpenSessions } from './dashboard.repository.js';
import { recentValidations } from './dashboard.service.js';
import { DashboardObject, LicenseCountsObject, ValidationHourObject } from './dashboard.type.js';

@Resolver(() => DashboardObject)
export class DashboardResolver {
  @Access('licensing:read')
  @Query(() => DashboardObject)
  dashboard(): DashboardObject {
    return {};
  }

  @FieldResolver(() => LicenseCountsObject, { description: 'Licenses by state.' })
  licenses(@Ctx() ctx: RequestContext) {
    return countLicenses(ctx.em, ctx.clock.now());
  }

  @FieldResolver(() => Int)
  openSessions(@Ctx() ctx: RequestContext) {
    return countOpenSessions(ctx.em, ctx.clock.now());
  }

  @FieldResolver(() => [ValidationHourObject], { description: 'Oldest first; at most a second behind.' })
  validations(
    @Ctx() ctx: RequestContext,
    @Arg('hours', () => Int, { nullable: true, description: '1–2160; 24 when absent.' })
    hours?: number | null,
  ) {
    return recentValidations(ctx.em, ctx, hours ?? undefined);
  }
}
