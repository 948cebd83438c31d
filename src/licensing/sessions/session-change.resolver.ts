import { Arg, Ctx, FieldResolver, Resolver, Root, Subscription } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { LicenseObject } from '../licenses/license.type.js';
import { productById } from '../products/product.loaders.js';
import type { SessionChange } from './session-change.js';
import { SessionChangeObject } from './session-change.type.js';
import { watchSessions } from './session-changes.service.js';
import { licenseById, sessionById } from './session.loaders.js';
import { SessionObject } from './session.type.js';

@Resolver(() => SessionChangeObject)
export class SessionChangeResolver {
  @Access('licensing:read')
  @Subscription(() => SessionChangeObject, {
    description: 'Seats as they are taken and given back, of one license or of all. Renewals are not told.',
    subscribe: ({ context, args }: { context: RequestContext; args: { license?: string | null } }) =>
      watchSessions(context.em, context.pubsub, args.license),
  })
  sessionChanged(
    @Root() change: SessionChange,
    @Arg('license', () => String, { nullable: true, description: 'A license key, however it is typed.' })
    _license?: string | null,
  ) {
    return { ...change, at: new Date(change.at) };
  }

  @FieldResolver(() => SessionObject, { nullable: true, description: 'Null once it has ended.' })
  session(@Ctx() ctx: RequestContext, @Root() { id }: SessionChange) {
    return ctx.load(sessionById, id);
  }

  @FieldResolver(() => LicenseObject, {
    nullable: true,
    description: 'With its seats in use as they are now.',
  })
  license(@Ctx() ctx: RequestContext, @Root() { licenseId }: SessionChange) {
    return ctx.load(licenseById, licenseId);
  }

  @FieldResolver(() => String, { nullable: true })
  async licenseKey(@Ctx() ctx: RequestContext, @Root() change: SessionChange) {
    return (await this.license(ctx, change))?.key ?? null;
  }

  @FieldResolver(() => String, { nullable: true })
  async productName(@Ctx() ctx: RequestContext, @Root() change: SessionChange) {
    const license = await this.license(ctx, change);
    if (!license?.product) return null;
    return (await ctx.load(productById, license.product.id))?.name ?? null;
  }
}
