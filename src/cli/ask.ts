import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { Command } from 'commander';
import { readAnswer } from './graphql-answer.js';
import { PATIENCE_MS, postOperation } from './post-operation.js';
import { serverOf } from './server-of.js';

/** Runs an operation on the server that the options or the environment name. Throws a CliError for any other answer. */
export async function ask<Result, Variables>(
  command: Command,
  document: TypedDocumentNode<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const server = serverOf(command);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const response = await postOperation(server, '/graphql', {
    ...{ document, variables, signal },
    accept: 'application/json',
  });
  return (await readAnswer(server.url, response)) as Result;
}
