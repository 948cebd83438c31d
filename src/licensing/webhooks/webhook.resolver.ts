import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { PageArgs, listComplexity } from '../../platform/graphql/connection.js';
import { DELETED, Deleted } from '../../platform/graphql/deleted.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { JsonObjectScalar } from '../../platform/graphql/scalars.js';
import { testWebhook } from './webhook-delivery.service.js';
import { shownHeaders, shownSecret } from './webhook-secrets.service.js';
import type { Webhook } from './webhook.entity.js';
import { findWebhooks } from './webhook.repository.js';
import { createWebhook, deleteWebhook, rotateWebhookSecret, updateWebhook } from './webhook.service.js';
import {
  CreateWebhookInput,
  UpdateWebhookInput,
  WebhookConnection,
  WebhookFilterInput,
  WebhookObject,
  WebhookOrderInput,
} from './webhook.type.js';

@Resolver(() => WebhookObject)
export class WebhookResolver {
  @Access('licensing:read')
  @Query(() => WebhookConnection, { complexity: listComplexity })
  webhooks(
    @Ctx() ctx: RequestContext,
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => WebhookFilterInput, { nullable: true }) filter?: WebhookFilterInput | null,
    @Arg('orderBy', () => WebhookOrderInput, { nullable: true }) orderBy?: WebhookOrderInput | null,
  ) {
    return findWebhooks(ctx.em, filter ?? {}, { first: page.first, after: page.after, orderBy });
  }

  @Access('licensing:write')
  @Mutation(() => WebhookObject, {
    description:
      'Without anything given, one that gets nothing. With a URL it is enabled unless told not to.',
  })
  createWebhook(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => CreateWebhookInput) input: CreateWebhookInput,
  ) {
    return createWebhook(ctx.em, ctx, input);
  }

  @Access('licensing:write')
  @Mutation(() => WebhookObject, {
    description: 'Changes what is given. One that is disabled gets nothing of what waited for it.',
  })
  updateWebhook(
    @Ctx() ctx: RequestContext,
    @Arg('name', () => String) name: string,
    @Arg('input', () => UpdateWebhookInput) input: UpdateWebhookInput,
  ) {
    return updateWebhook(ctx.em, ctx, name, input);
  }

  @Access('licensing:write')
  @Mutation(() => Deleted, {
    description: 'What waited for it is skipped; its deliveries can still be read.',
  })
  async deleteWebhook(@Ctx() ctx: RequestContext, @Arg('name', () => String) name: string) {
    await deleteWebhook(ctx.em, ctx, name);
    return DELETED;
  }

  @Access('licensing:write')
  @Mutation(() => WebhookObject, { description: 'A new secret; the old one signs too for another 24 hours.' })
  rotateWebhookSecret(@Ctx() ctx: RequestContext, @Arg('name', () => String) name: string) {
    return rotateWebhookSecret(ctx.em, ctx, name);
  }

  @Access('licensing:write')
  @Mutation(() => Boolean, { description: 'Sends it one webhook.test, tried once, enabled or not.' })
  async testWebhook(@Ctx() ctx: RequestContext, @Arg('name', () => String) name: string) {
    await testWebhook(ctx.em, ctx, name);
    return true;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'What signs deliveries; null for who may only read.',
  })
  secret(@Ctx() ctx: RequestContext, @Root() webhook: Webhook) {
    return shownSecret(webhook, ctx);
  }

  @FieldResolver(() => JsonObjectScalar, { description: 'Values are masked for who may only read.' })
  headers(@Ctx() ctx: RequestContext, @Root() webhook: Webhook) {
    return shownHeaders(webhook, ctx);
  }
}
