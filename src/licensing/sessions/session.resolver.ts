import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access, OwnTransaction, PUBLIC } from '../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import { Direct, declaredOnly } from '../../platform/graphql/direct.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { PresentedScalar } from '../../platform/graphql/scalars.js';
import { Limited } from '../../platform/limits/limited.js';
import { HEARTBEAT } from '../limits.js';
import { LicenseObject } from '../licenses/license.type.js';
import { productById } from '../products/product.loaders.js';
import type { Session } from './session.entity.js';
import { licenseById } from './session.loaders.js';
import { closeSession, heartbeat, listSessions, revokeSessions } from './session.service.js';
import type { Heartbeat } from './session.service.js';
import {
  ClosedSessionObject,
  HeartbeatObject,
  RevokedSessionsObject,
  SessionConnection,
  SessionFilterInput,
  SessionObject,
} from './session.type.js';

@Resolver(() => SessionObject)
export class SessionResolver {
  @Access('licensing:read')
  @Query(() => SessionConnection, {
    complexity: listComplexity,
    description: 'Open sessions, in the order in which they were opened.',
  })
  sessions(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => SessionFilterInput, { nullable: true }) filter?: SessionFilterInput | null,
  ) {
    return listSessions(ctx.em, ctx, filter ?? {}, { first: page.first, after: page.after });
  }

  @Access(PUBLIC)
  @OwnTransaction()
  @Limited<{ token: string }>(HEARTBEAT, ({ token }) => token)
  @Direct<{ token: string }>((ctx, { token }) => heartbeat(ctx.database, ctx, token))
  @Mutation(() => HeartbeatObject, { description: 'Keeps the seat; the token is the credential.' })
  heartbeat(@Arg('token', () => PresentedScalar) _token: string): Promise<Heartbeat> {
    return declaredOnly();
  }

  @Access(PUBLIC)
  @Limited<{ token: string }>(HEARTBEAT, ({ token }) => token)
  @Mutation(() => ClosedSessionObject, { description: 'Frees the seat; the token is the credential.' })
  async closeSession(@Ctx() ctx: RequestContext, @Arg('token', () => PresentedScalar) token: string) {
    await closeSession(ctx.em, ctx, token);
    return { closed: true };
  }

  @Access('licensing:write')
  @Mutation(() => RevokedSessionsObject, { description: 'Ends every open session that the filter names.' })
  async revokeSessions(
    @Ctx() ctx: RequestContext,
    @Arg('filter', () => SessionFilterInput, { nullable: true }) filter?: SessionFilterInput | null,
  ) {
    const cleared = await revokeSessions(ctx.em, ctx, filter ?? {});
    return { revoked: cleared > 0, cleared };
  }

  @FieldResolver(() => LicenseObject, { nullable: true })
  license(@Ctx() ctx: RequestContext, @Root() session: Session) {
    return ctx.load(licenseById, session.licenseId);
  }

  @FieldResolver(() => String, { nullable: true })
  async licenseKey(@Ctx() ctx: RequestContext, @Root() session: Session) {
    return (await this.license(ctx, session))?.key ?? null;
  }

  @FieldResolver(() => String, { nullable: true })
  async productName(@Ctx() ctx: RequestContext, @Root() session: Session) {
    const license = await this.license(ctx, session);
    if (!license?.product) return null;
    return (await ctx.load(productById, license.product.id))?.name ?? null;
  }
}
