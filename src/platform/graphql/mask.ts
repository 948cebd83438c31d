import { GraphQLError } from 'graphql';
import { translateDatabaseError } from '../db/database-errors.js';
import { DomainError, failure } from '../errors.js';
import type { Logger } from '../logger.js';
import { SealBroken } from '../seal.js';

/** What a caller may see of an error. An unexpected one is masked: no stack, SQL or secret leaves. */
export function maskError(error: unknown): DomainError {
  const cause = rootCause(error);
  if (cause instanceof DomainError) return cause;
  const masked = failure(
    'INTERNAL',
    'Something went wrong on our side; our log has it under this request id',
    { cause },
  );
  return translateDatabaseError(cause) ?? masked;
}

/** Logs what the operators of the server must know of: loudly what nobody expected, briefly that something is away. */
export function reportError(error: unknown, log: Logger, requestId: string): void {
  const masked = maskError(error);
  const { code, status, message, cause } = masked;
  if (code === 'INTERNAL') log.error({ err: cause ?? error, requestId }, 'unexpected error');
  // It doesn't pass by itself.
  else if (masked instanceof SealBroken) log.error({ err: cause, requestId }, message);
  else if (status >= 500) log.warn({ err: cause ?? error, requestId }, message);
}

/** Reports the errors of one operation; that a secret can't be opened once, whatever number of fields it has failed. */
export function reportErrors(errors: readonly unknown[], log: Logger, requestId: string): void {
  const sealed = errors.find((error) => maskError(error) instanceof SealBroken);
  for (const error of errors) {
    if (error === sealed || !(maskError(error) instanceof SealBroken)) reportError(error, log, requestId);
  }
}

/** Masks and reports in one. */
export function exposeError(error: unknown, log: Logger, requestId: string): DomainError {
  reportError(error, log, requestId);
  return maskError(error);
}

/** The error that a resolver threw, beneath GraphQL's own wrapping. */
function rootCause(error: unknown): unknown {
  let at = error;
  while (at instanceof GraphQLError && at.originalError) at = at.originalError;
  return at;
}
