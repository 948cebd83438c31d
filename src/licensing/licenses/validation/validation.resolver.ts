import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { Access, OwnTransaction, PUBLIC } from '../../../platform/graphql/access.js';
import type { RequestContext } from '../../../platform/graphql/request-context.js';
import { currentSigner, signatureHeader } from '../../keys/signing-key.service.js';
import { noteVerdict, presentedRequest } from './presented-request.js';
import { validateLicense } from './validation.service.js';
import { ValidateLicenseInput, VerdictObject } from './validation.type.js';

@Resolver()
export class ValidationResolver {
  @Access(PUBLIC)
  @OwnTransaction()
  @Mutation(() => VerdictObject, { description: 'Judges a license key and opens or renews its session.' })
  async validateLicense(
    @Ctx() ctx: RequestContext,
    @Arg('input', () => ValidateLicenseInput) input: ValidateLicenseInput,
  ) {
    const { verdict } = await validateLicense(ctx.em, ctx, presentedRequest(ctx, input));
    noteVerdict(ctx, input.key, verdict);
    if (input.nonce != null) {
      const signer = await currentSigner(ctx.em, ctx);
      ctx.signBody = (body) => ({ 'X-Signature': signatureHeader(signer, body, ctx.clock.now()) });
    }
    return verdict;
  }
}
