import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './api-key.service.js';
import { ApiKeyObject, CreateApiKeyInput, IssuedApiKeyObject } from './api-key.type.js';

@Resolver(() => ApiKeyObject)
export class ApiKeyResolver {
  @Access('keys:write')
  @Query(() => [ApiKeyObject], {
    description: 'Every API key, revoked and expired ones too, in the order they were made.',
  })
  apiKeys(@Ctx() ctx: RequestContext) {
    return listApiKeys(ctx.em);
  }

  @Access('keys:write')
  @Mutation(() => IssuedApiKeyObject, { description: 'A key can only grant scopes that the caller has.' })
  createApiKey(@Ctx() ctx: RequestContext, @Arg('input', () => CreateApiKeyInput) input: CreateApiKeyInput) {
    return createApiKey(ctx.em, ctx, input);
  }

  @Access('keys:write')
  @Mutation(() => IssuedApiKeyObject, { description: 'A successor; the old key works for another 24 hours.' })
  rotateApiKey(@Ctx() ctx: RequestContext, @Arg('keyId', () => String) keyId: string) {
    return rotateApiKey(ctx.em, ctx, keyId);
  }

  @Access('keys:write')
  @Mutation(() => ApiKeyObject, { description: 'From the next request on, the key is invalid.' })
  revokeApiKey(@Ctx() ctx: RequestContext, @Arg('keyId', () => String) keyId: string) {
    return revokeApiKey(ctx.em, ctx, keyId);
  }
}
