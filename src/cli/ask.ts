import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { Command } from 'commander';
import { print } from 'graphql';
import { ConfigError, environment, readCliEnvironment } from '../config.js';
import type { CliEnvironment } from '../config.js';
import { CliError } from './cli-error.js';
import { Refusal } from './refusal.js';

/** Longer than any operation may take; a server that hangs must not hang the operator's script too. */
const PATIENCE_MS = 30_000;
/** What an HTTP header can carry, so that a bad key is not quoted by whoever refuses it. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;

/** What a GraphQL server answers, as far as this client reads it. */
interface GraphqlAnswer {
  readonly data?: unknown;
  readonly errors?: readonly GraphqlProblem[];
}

interface GraphqlProblem {
  readonly message: string;
  readonly extensions?: {
    readonly code?: string;
    readonly request_id?: string;
    readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
  };
}

/** Runs an operation on the server that the options or the environment name. Throws a CliError for any other answer. */
export async function ask<Result, Variables>(
  command: Command,
  document: TypedDocumentNode<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const { url, apiKey } = serverOf(command);
  if (apiKey === undefined) {
    throw new CliError(
      2,
      'No API key is given. Set LICENSING_API_KEY or --key; on the machine where the server runs, ' +
        '`keys create --local` makes one.',
    );
  }
  if (!HEADER_SAFE.test(apiKey)) {
    throw new CliError(2, 'The API key holds characters that none has; check how it was copied.');
  }
  const response = await post(url, apiKey, JSON.stringify({ query: print(document), variables }));
  const { data, errors = [] } = await read(url, response);
  const [first, ...others] = errors;
  if (first) throw serverSaid([first, ...others]);
  return data as Result;
}

function serverOf(command: Command): CliEnvironment {
  const { url, key } = command.optsWithGlobals<{ url?: string; key?: string }>();
  const { env } = environment();
  const overrides = {
    ...(url === undefined ? {} : { LICENSING_URL: url }),
    ...(key === undefined ? {} : { LICENSING_API_KEY: key }),
  };
  try {
    return readCliEnvironment({ ...env, ...overrides });
  } catch (error) {
    if (!(error instanceof ConfigError) || url === undefined) throw error;
    const [problem] = error.problems;
    throw new CliError(2, `--url must be ${problem?.allowed ?? 'a URL'}; got ${problem?.value ?? 'none'}`);
  }
}

async function post(url: string, apiKey: string, body: string): Promise<Response> {
  try {
    return await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body,
      // Followed, a POST may become a GET, and the key may go to somebody else.
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  } catch (error) {
    const hint = `is it running? Set LICENSING_URL or --url (${reasonOf(error)})`;
    throw new CliError(1, `No server answers at ${url}: ${hint}`);
  }
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return `nothing within ${PATIENCE_MS / 1000} s`;
  return cause?.code ?? cause?.message ?? message;
}

async function read(url: string, response: Response): Promise<GraphqlAnswer> {
  const location = response.headers.get('location');
  if (location !== null) {
    throw new CliError(1, `${url} sends on to ${location}. Give the address behind it, without /graphql`);
  }
  const answer = await response.json().catch(() => undefined);
  if (isGraphqlAnswer(answer)) return answer;
  throw new CliError(
    1,
    `What answers at ${url} (HTTP ${response.status}) is no licensing server: is LICENSING_URL or --url right?`,
  );
}

function isGraphqlAnswer(answer: unknown): answer is GraphqlAnswer {
  if (typeof answer !== 'object' || answer === null) return false;
  // A REST problem has `errors` too, but no message in them.
  if ('errors' in answer && Array.isArray(answer.errors)) {
    return answer.errors.every((error: unknown) => typeof error === 'object' && error && 'message' in error);
  }
  return 'data' in answer && typeof answer.data === 'object';
}

function serverSaid(problems: readonly [GraphqlProblem, ...GraphqlProblem[]]): Refusal {
  const messages = problems.map(({ message, extensions }) =>
    extensions?.code === undefined ? message : `${message} (${extensions.code})`,
  );
  const fields = problems
    .flatMap(({ extensions }) => extensions?.errors ?? [])
    .map(({ pointer, detail }) => `${pointer}: ${detail}`);
  const requestId = problems[0].extensions?.request_id;
  const reference = requestId === undefined ? [] : [`request id: ${requestId}`];
  const codes = problems.flatMap(({ extensions }) => extensions?.code ?? []);
  return new Refusal(codes, messages.join('\n'), [...fields, ...reference]);
}
