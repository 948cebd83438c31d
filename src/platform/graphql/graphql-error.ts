import { HeaderMap } from '@apollo/server';
import { GraphQLError } from 'graphql';
import type { GraphQLFormattedError } from 'graphql';
import type { DomainError } from '../errors.js';
import { maskError } from './mask.js';

/** GraphQL's own errors (parsing, validation, limits) speak for themselves; all others are masked. */
export function formatGraphqlError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  if (!isOwn(error)) return toGraphqlFormat(maskError(error), formatted);
  // Apollo puts a code of its own over that of a validation rule.
  const { originalError } = error;
  const code = originalError instanceof GraphQLError ? originalError.extensions['code'] : codeOf(error);
  return { ...formatted, extensions: { ...formatted.extensions, ...(code === undefined ? {} : { code }) } };
}

/** Apollo calls its own complaint an internal error where it has no code for it, as of persisted queries. */
function codeOf({ extensions }: GraphQLError): unknown {
  return extensions['code'] ?? 'BAD_REQUEST';
}

/** GraphQL's own complaint about an operation, and nothing that a resolver threw. */
export function isOwn(error: unknown): error is GraphQLError {
  if (!(error instanceof GraphQLError)) return false;
  // Apollo wraps graphql-js' syntax errors into its own; whatever else is wrapped came from a resolver.
  if (error.originalError && !(error.originalError instanceof GraphQLError)) return false;
  const code = error.extensions['code'];
  return typeof code === 'string' ? code !== 'INTERNAL_SERVER_ERROR' : error.path === undefined;
}

function toGraphqlFormat(
  error: DomainError,
  base: Partial<GraphQLFormattedError> = {},
): GraphQLFormattedError {
  return { ...base, message: error.message, extensions: extensionsOf(error) };
}

/** Refuses the whole request: Apollo takes the status and headers from `http`, and answers 500 without. */
export function asGraphqlError(error: DomainError): GraphQLError {
  const http = { status: error.status, headers: new HeaderMap(Object.entries(error.headers)) };
  return new GraphQLError(error.message, { extensions: { ...extensionsOf(error), http } });
}

function extensionsOf(error: DomainError): Record<string, unknown> {
  return {
    code: error.code,
    status: error.status,
    ...(error.problems.length > 0 ? { errors: error.problems } : {}),
  };
}

/** The text of an answer, with the request id beside each error that has none yet. */
export function withRequestId(answer: string, requestId: string): string {
  const { errors = [], ...others } = JSON.parse(answer) as { readonly errors?: GraphQLFormattedError[] };
  const told = errors.map(({ extensions, ...error }) => ({
    ...error,
    extensions: { request_id: requestId, ...extensions },
  }));
  return JSON.stringify({ errors: told, ...others });
}

/** An error of the HTTP layer (malformed JSON, body too large) in the shape that GraphQL clients read. */
export function graphqlErrorBody(error: DomainError, requestId: string): { errors: GraphQLFormattedError[] } {
  const formatted = toGraphqlFormat(error);
  return { errors: [{ ...formatted, extensions: { ...formatted.extensions, request_id: requestId } }] };
}
