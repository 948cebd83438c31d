import { Arg, Mutation, Resolver } from 'type-graphql';
import { Access, OwnTransaction, PUBLIC } from '../../../platform/graphql/access.js';
import { Direct, declaredOnly } from '../../../platform/graphql/direct.js';
import type { RequestContext } from '../../../platform/graphql/request-context.js';
import { Limited } from '../../../platform/limits/limited.js';
import { currentSigner, signatureHeader } from '../../keys/signing-key.service.js';
import { VALIDATE } from '../../limits.js';
import { lookupOf } from '../license-key.rules.js';
import { noteVerdict, presentedRequest } from './presented-request.js';
import type { Verdict } from './validation.service.js';
import { validateLicense } from './validation.service.js';
import { ValidateLicenseInput, VerdictObject } from './validation.type.js';

interface Args {
  readonly input: ValidateLicenseInput;
}

@Resolver()
export class ValidationResolver {
  @Access(PUBLIC)
  @OwnTransaction()
  @Limited<Args>(VALIDATE, ({ input }) => lookupOf(input.key))
  @Direct(validate)
  @Mutation(() => VerdictObject, { description: 'Judges a license key and opens or renews its session.' })
  validateLicense(@Arg('input', () => ValidateLicenseInput) _input: ValidateLicenseInput): Promise<Verdict> {
    return declaredOnly();
  }
}

async function validate(ctx: RequestContext, { input }: Args): Promise<Verdict> {
  const { verdict } = await validateLicense(ctx.database, ctx, presentedRequest(ctx, input));
  noteVerdict(ctx, input.key, verdict);
  if (input.nonce != null) {
    const signer = await currentSigner(ctx.em, ctx);
    ctx.signBody = (body) => ({ 'X-Signature': signatureHeader(signer, body, ctx.clock.now()) });
  }
  return verdict;
}
