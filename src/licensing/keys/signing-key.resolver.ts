import { Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access, PUBLIC } from '../../platform/graphql/access.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { jwkOf, publicKeys, rotateSigningKey } from './signing-key.service.js';
import { PublicKeyObject, PublicKeySetObject } from './signing-key.type.js';

@Resolver()
export class SigningKeyResolver {
  @Access(PUBLIC)
  @Query(() => PublicKeySetObject, { description: 'What verifies signed verdicts and offline licenses.' })
  async publicKeys(@Ctx() ctx: RequestContext) {
    return { keys: (await publicKeys(ctx.em, ctx)).map(jwkOf) };
  }

  @Access('keys:write')
  @Mutation(() => PublicKeyObject, { description: 'A new key signs from now on; old ones still verify.' })
  async rotateSigningKey(@Ctx() ctx: RequestContext) {
    return jwkOf(await rotateSigningKey(ctx.em, ctx));
  }
}
