import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { Logger } from '../../logger.js';
import { formatGraphqlError, isOwn } from '../graphql-error.js';
import { maskError, reportError } from '../mask.js';

/** What an operation is refused with before anything of it runs. */
export class OperationRefused extends Error {
  constructor(readonly errors: readonly GraphQLError[]) {
    super(errors.map(({ message }) => message).join('; '));
    this.name = 'OperationRefused';
  }

  /** The HTTP status and headers that fit the first error. */
  get http(): { readonly status: number; readonly headers: Readonly<Record<string, string>> } {
    const [first] = this.errors;
    if (!isOwn(first)) return maskError(first);
    const { status = 400 } = (first.extensions['http'] ?? {}) as { status?: number };
    return { status, headers: {} };
  }
}

/** Errors as a subscriber may see them, each with the request id. Whatever nobody expected is logged and masked. */
export function exposeErrors(
  errors: readonly GraphQLError[],
  { log, requestId }: { readonly log: Logger; readonly requestId: string },
): GraphQLFormattedError[] {
  return errors.map((error) => {
    if (!isOwn(error)) reportError(error, log, requestId);
    const { extensions = {}, ...formatted } = formatGraphqlError(error.toJSON(), error);
    // `http` is between us and Apollo.
    const shown = Object.entries(extensions).filter(([name]) => name !== 'http');
    return { ...formatted, extensions: { ...Object.fromEntries(shown), request_id: requestId } };
  });
}
