import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { SafeIntScalar } from '../../platform/graphql/scalars.js';
import type { WebhookDelivery } from './webhook-delivery.entity.js';
import { findDeliveries } from './webhook-delivery.repository.js';
import { retryDeliveries, retryDelivery } from './webhook-delivery.service.js';
import {
  RetriedDeliveriesObject,
  WebhookDeliveryConnection,
  WebhookDeliveryFilterInput,
  WebhookDeliveryObject,
  WebhookDeliveryOrderInput,
} from './webhook-delivery.type.js';
import { bodyByEvent, webhookById } from './webhook.loaders.js';
import { WebhookObject } from './webhook.type.js';

@Resolver(() => WebhookDeliveryObject)
export class WebhookDeliveryResolver {
  @Access('licensing:read')
  @Query(() => WebhookDeliveryConnection, { complexity: listComplexity })
  webhookDeliveries(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => WebhookDeliveryFilterInput, { nullable: true })
    filter?: WebhookDeliveryFilterInput | null,
    @Arg('orderBy', () => WebhookDeliveryOrderInput, { nullable: true })
    orderBy?: WebhookDeliveryOrderInput | null,
  ) {
    return findDeliveries(ctx.em, filter ?? {}, { first: page.first, after: page.after, orderBy });
  }

  @Access('licensing:write')
  @Mutation(() => WebhookDeliveryObject, {
    description: 'Sends one that has ended again, on a fresh schedule and under the same webhook-id.',
  })
  retryWebhookDelivery(@Ctx() ctx: RequestContext, @Arg('id', () => SafeIntScalar) id: number) {
    return retryDelivery(ctx.em, ctx, id);
  }

  @Access('licensing:write')
  @Mutation(() => RetriedDeliveriesObject, {
    description:
      'Sends what has ended again, on a fresh schedule and under the same webhook-id: the oldest 1000 that the filter finds.',
  })
  async retryWebhookDeliveries(
    @Ctx() ctx: RequestContext,
    @Arg('filter', () => WebhookDeliveryFilterInput) filter: WebhookDeliveryFilterInput,
  ) {
    return { retried: await retryDeliveries(ctx.em, ctx, filter) };
  }

  @FieldResolver(() => WebhookObject, { description: 'A deleted one too.' })
  webhook(@Ctx() ctx: RequestContext, @Root() delivery: WebhookDelivery) {
    return ctx.load(webhookById, delivery.webhook.id);
  }

  @FieldResolver(() => String)
  async webhookName(@Ctx() ctx: RequestContext, @Root() delivery: WebhookDelivery) {
    return (await this.webhook(ctx, delivery))?.name;
  }

  @FieldResolver(() => Date, { nullable: true, description: 'When the next attempt is due.' })
  nextAttemptAt(@Root() { status, dueAt }: WebhookDelivery) {
    return status === 'delivering' ? null : dueAt;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'What is sent, byte for byte; null once it is past its retention.',
  })
  body(@Ctx() ctx: RequestContext, @Root() delivery: WebhookDelivery) {
    return ctx.load(bodyByEvent, delivery.eventId);
  }
}
