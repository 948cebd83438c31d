import { print } from 'graphql';
import type { DocumentNode } from 'graphql';
import { CliError } from './cli-error.js';
import type { Server } from './server-of.js';

/** Longer than any operation may take; a server that hangs must not hang the operator's script too. */
export const PATIENCE_MS = 30_000;

/** An operation to be sent, and how. */
export interface OperationPost {
  readonly document: DocumentNode;
  readonly variables: unknown;
  readonly accept: 'application/json' | 'text/event-stream';
  readonly signal: AbortSignal;
}

/** Posts an operation below the server's URL. Throws a CliError when nobody answers there, or somebody sends it on. */
export async function postOperation(
  { url, apiKey }: Server,
  path: '/graphql' | '/graphql/stream',
  { document, variables, accept, signal }: OperationPost,
): Promise<Response> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ query: print(document), variables }),
    // Followed, a POST may become a GET, and the key may go to somebody else.
    redirect: 'manual',
    signal,
  }).catch((error: unknown) => {
    const hint = `is it running? Set LICENSING_URL or --url (${reasonOf(error)})`;
    throw new CliError(1, `No server answers at ${url}: ${hint}`);
  });
  const location = response.headers.get('location');
  if (location === null) return response;
  throw new CliError(1, `${url} sends on to ${location}. Give the address behind it, without /graphql`);
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return `nothing within ${PATIENCE_MS / 1000} s`;
  return cause?.code ?? cause?.message ?? message;
}
