import type { Dispatcher } from 'undici';
import { AddressRefused } from '../../../platform/net/address-guard.js';
import { traced, tracer } from '../../../platform/tracing/tracing.js';

export interface AttemptRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** In all: to connect, to send, to wait, and to read. */
  readonly timeoutMs: number;
}

/** How an attempt ended. Only a 2xx has no error. */
export interface AttemptResult {
  readonly code: number | null;
  readonly error: string | null;
  /** The first 2 KiB of the answer's body, as text that the database takes; null when there was no answer. */
  readonly answer: string | null;
  readonly retryAfter: string | undefined;
  readonly durationMs: number;
}

const ANSWER_BYTES_MAX = 2048;
/** More of an answer is not read: the connection is closed instead of being used again. */
const DRAIN_BYTES_MAX = 64 * 1024;

/** Posts once. Never rejects, and follows no redirect. */
export function attempt(pool: Dispatcher, request: AttemptRequest): Promise<AttemptResult> {
  return traced({ name: 'deliver a webhook', kind: 'client' }, async () => {
    const result = await post(pool, { ...request, headers: { ...request.headers, ...tracer()?.headers() } });
    tracer()?.note('deliver a webhook', {
      'http.request.method': 'POST',
      ...(result.code === null
        ? { 'error.type': 'no answer' }
        : { 'http.response.status_code': result.code }),
    });
    return result;
  });
}

async function post(pool: Dispatcher, request: AttemptRequest): Promise<AttemptResult> {
  const startedAt = performance.now();
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    timeout.abort();
  }, request.timeoutMs);
  const { path, headers, body } = request;
  const took = () => Math.round(performance.now() - startedAt);
  try {
    const response = await pool.request({ method: 'POST', path, headers, body, signal: timeout.signal });
    const code = response.statusCode;
    const answer = await beginningOf(response.body);
    const error = code >= 200 && code < 300 ? null : `The answer is HTTP ${code}${redirectNote(code)}`;
    return { code, error, answer, retryAfter: headerOf(response.headers['retry-after']), durationMs: took() };
  } catch (error) {
    const text = timeout.signal.aborted ? `No answer within ${request.timeoutMs / 1000} s` : explain(error);
    return { code: null, error: text, answer: null, retryAfter: undefined, durationMs: took() };
  } finally {
    clearTimeout(timer);
  }
}

/** What breaks while an answer is being read changes nothing about its status. */
async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (bytes < ANSWER_BYTES_MAX) chunks.push(chunk.subarray(0, ANSWER_BYTES_MAX - bytes));
      bytes += chunk.length;
      // Leaving the loop ends the stream, and with it the connection.
      if (bytes > DRAIN_BYTES_MAX) break;
    }
  } catch {
    // The beginning is all that is kept anyway.
  }
  // A character that was cut in two becomes U+FFFD; Postgres takes any but U+0000.
  return Buffer.concat(chunks).toString('utf8').replaceAll('\u0000', '\ufffd');
}

function redirectNote(code: number): string {
  return code >= 300 && code < 400 ? ', and redirects are not followed' : '';
}

function headerOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

const EXPLAINED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was reset',
  ENOTFOUND: 'The name has no address',
  EAI_AGAIN: 'The name could not be resolved',
  EHOSTUNREACH: 'The host is unreachable',
  ENETUNREACH: 'The network is unreachable',
  UND_ERR_SOCKET: 'The connection was closed without an answer',
  UND_ERR_CONNECT_TIMEOUT: 'The connection took too long',
};
const ERROR_LENGTH_MAX = 500;

function explain(error: unknown): string {
  if (error instanceof AddressRefused) return `The address is refused: ${error.message}`;
  // Several addresses were tried: the first one's reason tells as much as all of them.
  const errors = (error as { errors?: unknown[] }).errors ?? [];
  const { code, message } = (errors[0] ?? error) as { code?: string; message?: string };
  const explained = code === undefined ? undefined : EXPLAINED[code];
  const text = explained === undefined ? (message ?? 'unknown error') : `${explained} (${code ?? ''})`;
  return text.replaceAll('\u0000', '\ufffd').slice(0, ERROR_LENGTH_MAX).toWellFormed();
}
