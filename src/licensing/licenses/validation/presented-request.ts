import type { RequestContext } from '../../../platform/graphql/request-context.js';
import { maskKey } from '../license-key.rules.js';
import type { ValidationRequest } from './facts.js';
import type { Verdict } from './validation.service.js';
import type { ValidateLicenseInput } from './validation.type.js';

/** What a client presents: the operation's input, and what its HTTP request tells. */
export function presentedRequest<Input extends ValidateLicenseInput>(
  ctx: RequestContext,
  input: Input,
): Input & ValidationRequest {
  const { ip, agent, header } = ctx.client;
  return Object.assign({ ip, agent, header }, input);
}

/** Tells the request log which license it was about. */
export function noteVerdict(
  ctx: RequestContext,
  key: string,
  verdict: Pick<Verdict, 'code' | 'product' | 'customer'>,
) {
  ctx.facts.code = verdict.code;
  ctx.facts.isVerdict = true;
  ctx.facts.license = maskKey(key);
  if (verdict.product !== null) ctx.facts.product = verdict.product;
  if (verdict.customer !== null) ctx.facts.customer = verdict.customer;
}
