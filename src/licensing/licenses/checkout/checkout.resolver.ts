import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { Access, OwnTransaction, PUBLIC } from '../../../platform/graphql/access.js';
import type { RequestContext } from '../../../platform/graphql/request-context.js';
import { Limited } from '../../../platform/limits/limited.js';
import { VALIDATE } from '../../limits.js';
import { lookupOf, maskKey } from '../license-key.rules.js';
import { presentedRequest } from '../validation/presented-request.js';
import { checkoutLicense } from './checkout.service.js';
import { CheckoutLicenseInput, OfflineLicenseObject } from './checkout.type.js';

@Resolver()
export class CheckoutResolver {
  @Access(PUBLIC)
  @OwnTransaction()
  @Limited<{ input: CheckoutLicenseInput }>(VALIDATE, ({ input }) => lookupOf(input.key))
  @Mutation(() => OfflineLicenseObject, {
    description: 'Validates, and signs the facts for use without the server.',
  })
  checkoutLicense(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => CheckoutLicenseInput) input: CheckoutLicenseInput,
  ) {
    ctx.facts.license = maskKey(input.key);
    return checkoutLicense(ctx.em, ctx, presentedRequest(ctx, input));
  }
}
