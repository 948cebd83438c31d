import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { Access, OwnTransaction, PUBLIC } from '../../../platform/graphql/access.js';
import type { RequestContext } from '../../../platform/graphql/request-context.js';
import { maskKey } from '../license-key.rules.js';
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
    const verdict = await validateLicense(ctx.em, ctx, ctx.client, input);
    ctx.facts.code = verdict.code;
    ctx.facts.license = maskKey(input.key);
    if (verdict.product !== null) ctx.facts.product = verdict.product;
    if (verdict.customer !== null) ctx.facts.customer = verdict.customer;
    return verdict;
  }
}
