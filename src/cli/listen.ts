import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { Command } from 'commander';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { CliError } from './cli-error.js';
import { dataOf, readAnswer } from './graphql-answer.js';
import type { GraphqlAnswer } from './graphql-answer.js';
import { PATIENCE_MS, postOperation } from './post-operation.js';
import { serverOf } from './server-of.js';

/**
 * The results of a subscription as they come, until the server or the signal ends it. `onOpen` is called once it is
 * taken. Throws a CliError when it isn't, and when the connection breaks; a {@link Refusal} is the server's own word.
 */
export async function* listen<Result, Variables>(
  command: Command,
  document: TypedDocumentNode<Result, Variables>,
  variables: Variables,
  { signal, onOpen }: { readonly signal: AbortSignal; readonly onOpen: () => void },
): AsyncGenerator<Result> {
  const server = serverOf(command);
  const opening = new AbortController();
  const patience = setTimeout(() => {
    opening.abort(new DOMException('', 'TimeoutError'));
  }, PATIENCE_MS);
  const response = await postOperation(server, '/graphql/stream', {
    ...{ document, variables, accept: 'text/event-stream' },
    signal: AbortSignal.any([signal, opening.signal]),
  }).finally(() => {
    clearTimeout(patience);
  });
  const { body } = response;
  if (
    !response.ok ||
    !body ||
    response.headers.get('content-type')?.startsWith('text/event-stream') !== true
  ) {
    await readAnswer(server.url, response);
    throw new CliError(
      1,
      `What answers at ${server.url} has no subscriptions: is LICENSING_URL or --url right?`,
    );
  }
  onOpen();
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  try {
    for await (const { event, data } of events) {
      if (event === 'complete') return;
      yield dataOf(JSON.parse(data) as GraphqlAnswer) as Result;
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(1, `The connection to ${server.url} broke: ${(error as Error).message}`);
  }
  throw new CliError(1, `The server at ${server.url} has ended the connection`);
}
