import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { Access, OwnTransaction, PUBLIC } from '../../platform/graphql/access.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { Limited } from '../../platform/limits/limited.js';
import { MARKETPLACE } from '../limits.js';
import { MarketplaceMessageInput, PlaceholderKeyObject, PurchaseReceiptObject } from './inbound.type.js';
import { issuePlaceholderKey } from './issue-placeholder.service.js';
import { receiveNotice } from './receive-notice.service.js';

/** What marketplaces themselves call; the secret in the message is the credential. */
@Resolver()
export class InboundResolver {
  @Access(PUBLIC)
  @OwnTransaction()
  @Limited(MARKETPLACE)
  @Mutation(() => PurchaseReceiptObject, {
    description:
      'Takes what a marketplace says about a purchase, in its own words. A repeat changes nothing.',
  })
  receivePurchase(
    @Ctx() ctx: RequestContext,
    @Arg('message', () => MarketplaceMessageInput) message: MarketplaceMessageInput,
  ) {
    return receiveNotice((work) => ctx.transaction(() => work(ctx.em)), ctx, message);
  }

  @Access(PUBLIC)
  @Limited(MARKETPLACE)
  @Mutation(() => PlaceholderKeyObject, {
    description: 'The key to be put into what a buyer downloads, before or after the purchase was heard of.',
  })
  issuePlaceholderKey(
    @Ctx() ctx: RequestContext,
    @Arg('message', () => MarketplaceMessageInput) message: MarketplaceMessageInput,
  ) {
    return issuePlaceholderKey(ctx.em, ctx, message);
  }
}
