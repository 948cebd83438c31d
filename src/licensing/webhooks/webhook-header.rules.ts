import { show } from '../../platform/errors.js';

const HEADERS_MAX = 32;
const VALUE_LENGTH_MAX = 4096;

/** RFC 9110: a token. */
const NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]{1,255}$/;
/** RFC 9110: visible characters, with spaces and tabs between them. Beyond ASCII, nobody knows the encoding. */
const VALUE = /^(?:[!-~](?:[ \t!-~]*[!-~])?)?$/;

/** What the delivery says about itself, and what belongs to the connection. */
const OWN = new Set([
  ...['host', 'content-length', 'content-type', 'user-agent'],
  ...[
    'connection',
    'keep-alive',
    'proxy-connection',
    'transfer-encoding',
    'te',
    'trailer',
    'upgrade',
    'expect',
  ],
]);
const OWN_PREFIX = 'webhook-';

/** Why a target can't have these headers, as the end of a sentence; undefined when it can. */
export function headersProblem(headers: Readonly<Record<string, unknown>>): string | undefined {
  const entries = Object.entries(headers);
  if (entries.length > HEADERS_MAX) return `must be at most ${HEADERS_MAX}; got ${entries.length}`;
  const seen = new Set<string>();
  for (const [name, value] of entries) {
    const folded = name.toLowerCase();
    if (!NAME.test(name)) return `must have names that HTTP allows; got ${show(name)}`;
    if (OWN.has(folded) || folded.startsWith(OWN_PREFIX)) return `can't replace ${show(name)}`;
    if (seen.has(folded)) return `name ${show(name)} twice`;
    if (typeof value !== 'string' || value.length > VALUE_LENGTH_MAX || !VALUE.test(value)) {
      // The value may be a credential: it is not repeated.
      return `must have values of at most ${VALUE_LENGTH_MAX} printable ASCII characters; that of ${show(name)} is none`;
    }
    seen.add(folded);
  }
  return undefined;
}

/** As shown to those who must not know credentials, and as events carry them. */
export function maskedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, '…']));
}
