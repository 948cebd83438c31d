import type { Settings } from '../../config.js';
import { InvalidField, show } from '../../platform/errors.js';
import { addressGuard } from '../../platform/net/address-guard.js';
import { headersProblem } from './webhook-header.rules.js';
import { ALLOWED_SECRET, isSecret } from './webhook-secret.rules.js';
import { unknownWords } from './webhook-subscription.rules.js';
import { urlProblem } from './webhook-url.rules.js';

/* Each gives back what it was given, or throws 422 `INVALID_FIELD`. */

export function checkUrl({ webhooks }: Settings, url: string | null): string | null {
  if (url === null) return null;
  const guard = addressGuard(webhooks.allowedNetworks);
  const problem = urlProblem(url, { allowHttp: webhooks.allowHttp, guard });
  if (problem !== undefined) throw new InvalidField('url', `${problem}; got ${show(url)}`);
  return url;
}

export function checkEvents(words: readonly string[]): string[] {
  const unknown = unknownWords(words);
  if (unknown.length === 0) return [...new Set(words)];
  const list = unknown.map(show).join(', ');
  throw new InvalidField('events', `must name events, kinds such as "license.*", or "*"; unknown: ${list}`);
}

export function checkHeaders(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const problem = headersProblem(headers);
  if (problem !== undefined) throw new InvalidField('headers', problem);
  return headers as Readonly<Record<string, string>>;
}

export function checkSecret(secret: string): string {
  if (isSecret(secret)) return secret;
  throw new InvalidField('secret', ALLOWED_SECRET);
}
