import { isIP } from 'node:net';
import type { AddressGuard } from '../../platform/net/address-guard.js';

const URL_LENGTH_MAX = 2048;

export interface UrlPolicy {
  readonly allowHttp: boolean;
  readonly guard: AddressGuard;
}

/**
 * Why a webhook can't go to this URL, as the end of a sentence; undefined when it can. Of a name only the time of a
 * delivery tells which address it has; an address that stands in the URL, in whatever notation, is looked at here.
 */
export function urlProblem(text: string, { allowHttp, guard }: UrlPolicy): string | undefined {
  const schemes = allowHttp ? 'an http:// or https:// URL' : 'an https:// URL';
  if (text.length > URL_LENGTH_MAX) return `must be at most ${URL_LENGTH_MAX} characters`;
  const url = URL.parse(text);
  if (!url || /[\s\u0000-\u001f]/.test(text)) return `must be ${schemes}`;
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) {
    const hint = url.protocol === 'http:' ? '; WEBHOOKS.ALLOW_HTTP allows http://' : '';
    return `must be ${schemes}${hint}`;
  }
  if (url.username !== '' || url.password !== '') return 'must have no credentials; send them by headers';
  if (url.hash !== '') return 'must have no fragment: it is never sent';
  return addressProblem(url, guard);
}

function addressProblem(url: URL, guard: AddressGuard): string | undefined {
  // The parser has turned decimal, octal and hexadecimal notations into plain ones.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const address = /(^|\.)localhost\.?$/.test(host) ? '127.0.0.1' : host;
  if (isIP(address) === 0) return undefined;
  try {
    guard.check(host, address);
    return undefined;
  } catch (error) {
    return `must lead to a public address: ${(error as Error).message}; WEBHOOKS.ALLOWED_NETWORKS excepts networks`;
  }
}
