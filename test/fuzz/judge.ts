import type { FuzzAnswer } from './ask.js';
import type { FuzzRequest } from './requests.js';

/** What may be said of a request that is odd, or of its URL, without each endpoint saying so. */
const OF_HTTP: ReadonlySet<number> = new Set([204, 400, 401, 403, 404, 405, 413, 414, 415, 417, 422, 431]);
const PROBLEM = 'application/problem+json';
/** Traces of the inside: a stack, the database's words, a path of this machine. */
export const INSIDE =
  /\n\s+at \S|node_modules|relation "|syntax error at or near|violates \w+ constraint|\/src\//;

/** An answer of 5xx that is no problem, and documented: what a probe found. */
export function isResult({ endpoint }: FuzzRequest, { status, headers }: FuzzAnswer): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const documented = endpoint.responses[String(status)]?.content ?? {};
  return status >= 500 && type !== PROBLEM && type in documented;
}

/** What is wrong with an answer; undefined: nothing. */
export function judge(asked: FuzzRequest, answer: FuzzAnswer): string | undefined {
  const { endpoint, kind, method, path } = asked;
  const { status, headers, text } = answer;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const isProbed = isResult(asked, answer);
  if (status >= 500 && !isProbed) return `answers ${status}`;
  if (INSIDE.test(text)) return 'shows its inside';
  if (!headers['x-request-id'] && !endpoint.path.startsWith('/health')) return 'has no X-Request-Id';
  if (status >= 400 && type !== PROBLEM && text !== '' && !isProbed) return `answers ${status} with ${type}`;
  if (method === 'HEAD' || text === '') return undefined;
  let body: unknown;
  if (type.endsWith('json')) {
    try {
      body = JSON.parse(text);
    } catch {
      return `answers ${status} with JSON that is none`;
    }
  }
  if (type === PROBLEM) {
    const { status: told, code, title, request_id: id } = body as Record<string, unknown>;
    if (told !== status || typeof code !== 'string' || typeof title !== 'string' || typeof id !== 'string')
      return `answers ${status} with an incomplete problem`;
  }
  // What it names may be another endpoint, or nothing.
  const isElsewhere = kind === 'odd' && /[^?]*(?:\/|%2e|%00|%2F)/i.test(path.slice(endpoint.path.length));
  const { code } = (body ?? {}) as { code?: unknown };
  // A parameter that is empty leaves the path of the collection.
  const isNowhere =
    endpoint.path.includes('{') &&
    (code === 'NOT_FOUND' || (code === 'METHOD_NOT_ALLOWED' && /\/(?:\?|$)/.test(path)));
  if (method !== endpoint.method || isElsewhere || isNowhere) return undefined;
  const isDocumented = String(status) in endpoint.responses;
  if (status === 414 || (kind === 'odd' && status >= 400 && OF_HTTP.has(status))) return undefined;
  if (!isDocumented) {
    if (kind === 'odd' && OF_HTTP.has(status)) return undefined;
    return `answers ${status}, which is not documented`;
  }
  const fits = body === undefined ? undefined : endpoint.fits(status, type);
  if (fits && !fits(body)) {
    const [error] = fits.errors ?? [];
    return `answers ${status} with a body that is not the documented one: ${error?.instancePath ?? ''} ${error?.message ?? ''}`;
  }
  return undefined;
}
