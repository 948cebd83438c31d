import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { LicenseObject } from '../licenses/license.type.js';
import { productById } from '../products/product.loaders.js';
import { ProductObject } from '../products/product.type.js';
import { userById } from '../users/user.loaders.js';
import { UserObject } from '../users/user.type.js';
import { claimPurchase } from './claim-purchase.service.js';
import { licenseById, noticesByPurchase } from './marketplace.loaders.js';
import type { Purchase } from './purchase.entity.js';
import { findPurchases } from './purchase.repository.js';
import { findPurchase } from './purchase.service.js';
import {
  PurchaseClaimObject,
  PurchaseConnection,
  PurchaseFilterInput,
  PurchaseNoticeObject,
  PurchaseObject,
  PurchaseOrderInput,
  ReplayPurchasesInput,
  ReplayedPurchasesObject,
} from './purchase.type.js';
import { replayPurchases } from './replay-purchases.service.js';

@Resolver(() => PurchaseObject)
export class PurchaseResolver {
  @Access('licensing:read')
  @Query(() => PurchaseConnection, { complexity: listComplexity })
  purchases(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => PurchaseFilterInput, { nullable: true }) filter?: PurchaseFilterInput | null,
    @Arg('orderBy', () => PurchaseOrderInput, { nullable: true }) orderBy?: PurchaseOrderInput | null,
  ) {
    return findPurchases(ctx.em, filter ?? {}, { first: page.first, after: page.after, orderBy });
  }

  @Access('licensing:read')
  @Query(() => PurchaseObject)
  purchase(@Ctx() ctx: RequestContext, @Arg('saleId', () => String) saleId: string) {
    return findPurchase(ctx.em, saleId);
  }

  @Access('licensing:write')
  @Mutation(() => PurchaseClaimObject, {
    description: 'Gives the license of a purchase to a user, against its redeem code or its sale id.',
  })
  claimPurchase(
    @Ctx() ctx: RequestContext,
    @Arg('userId', () => String) userId: string,
    @Arg('redeem', () => String) redeem: string,
  ) {
    return claimPurchase(ctx.em, ctx, userId, redeem);
  }

  @Access('licensing:write')
  @Mutation(() => ReplayedPurchasesObject, {
    description: 'Has jobs look at purchases again: those named, or those which something is in the way of.',
  })
  async replayPurchases(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => ReplayPurchasesInput, { nullable: true }) input?: ReplayPurchasesInput | null,
  ) {
    return { queued: await replayPurchases(ctx.em, input ?? {}) };
  }

  @FieldResolver(() => ProductObject, { nullable: true })
  product(@Ctx() ctx: RequestContext, @Root() purchase: Purchase) {
    return purchase.product && ctx.load(productById, purchase.product.id);
  }

  @FieldResolver(() => String, { nullable: true })
  async productName(@Ctx() ctx: RequestContext, @Root() purchase: Purchase) {
    return (await this.product(ctx, purchase))?.name ?? null;
  }

  @FieldResolver(() => LicenseObject, {
    nullable: true,
    description: 'Its own; of a renewal or an addon, the one that it was bought for.',
  })
  license(@Ctx() ctx: RequestContext, @Root() purchase: Purchase) {
    return purchase.license && ctx.load(licenseById, purchase.license.id);
  }

  @FieldResolver(() => String, { nullable: true })
  async licenseKey(@Ctx() ctx: RequestContext, @Root() purchase: Purchase) {
    return (await this.license(ctx, purchase))?.key ?? null;
  }

  @FieldResolver(() => UserObject, { nullable: true, description: 'Who claimed it.' })
  user(@Ctx() ctx: RequestContext, @Root() purchase: Purchase) {
    return purchase.user && ctx.load(userById, purchase.user.id);
  }

  @FieldResolver(() => String, { nullable: true, description: 'Public id of the user who claimed it.' })
  async userId(@Ctx() ctx: RequestContext, @Root() purchase: Purchase) {
    return (await this.user(ctx, purchase))?.userId ?? null;
  }

  @FieldResolver(() => [PurchaseNoticeObject], { description: 'What was heard of it, in the order it was.' })
  notices(@Ctx() ctx: RequestContext, @Root() purchase: Purchase) {
    return ctx.load(noticesByPurchase, purchase.id);
  }
}
