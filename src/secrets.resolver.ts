import { Ctx, Mutation, Resolver } from 'type-graphql';
import { Access, OwnTransaction } from './platform/graphql/access.js';
import type { RequestContext } from './platform/graphql/request-context.js';
import { resealBatch } from './platform/secrets/reseal.service.js';
import { ResealedObject } from './platform/secrets/reseal.type.js';
import { SEALED_PLACES } from './sealed-places.js';

/** Beside the two contexts, since what is sealed stands in both. */
@Resolver()
export class SecretsResolver {
  @Access('keys:write')
  @OwnTransaction()
  @Mutation(() => ResealedObject, {
    description: 'Seals stored secrets with the present SECRET_KEY that were sealed with a previous one.',
  })
  async resealSecrets(@Ctx() ctx: RequestContext) {
    const done = await resealBatch(ctx.em, ctx.settings, SEALED_PLACES);
    ctx.log.info({ ...done, caller: ctx.caller.name }, 'Stored secrets were sealed anew');
    return done;
  }
}
