import type { ExecutionResult } from 'graphql';
import { DomainError, failure, invalidFields, pointer } from '../errors.js';
import { maskError } from '../graphql/mask.js';
import type { RequestContext } from '../graphql/request-context.js';
import type { CompiledOperation } from './operation.js';
import type { RequestVariables } from './variables.js';

/** Runs the operation and gives its root field's value, or throws a {@link DomainError} in the caller's terms. */
export async function runOperation(
  operation: CompiledOperation,
  ctx: RequestContext,
  variables: RequestVariables,
): Promise<unknown> {
  return outcomeOf(operation, await operation.run(ctx, variables.values), variables);
}

/** What came of an operation: its root field's value (or that of the member it is the door to), or its error, thrown. */
export function outcomeOf(
  operation: CompiledOperation,
  { data, errors }: ExecutionResult,
  variables: RequestVariables,
): unknown {
  const [error] = errors ?? [];
  if (!error) {
    const value: unknown = data?.[operation.root];
    return operation.member === undefined ? value : (value as Record<string, unknown>)[operation.member];
  }
  if (error.path === undefined) {
    // Refused before any resolver ran: only the variables can be at fault.
    const [first, ...others] = operation.explain(variables.values);
    if (first) throw inRequestTerms(invalidFields([first, ...others]), operation, variables);
  }
  throw inRequestTerms(maskError(error), operation, variables);
}

/** Pointers name what the caller sent: `/expires_at`, where the service said `expiresAt`. */
function inRequestTerms(
  error: DomainError,
  operation: CompiledOperation,
  variables: RequestVariables,
): DomainError {
  const [firstProblem] = error.problems;
  if (!firstProblem) return error;
  const problems = error.problems.map((problem) => {
    const [, name = '', ...rest] = problem.pointer.split('/');
    // An unknown member is named as it was sent, even if an input field happens to be called so.
    const isSent = problem.code === 'UNKNOWN_FIELD' || operation.variables.has(name);
    const variable = isSent ? undefined : operation.variableFor(name);
    if (variable === undefined) return problem;
    const detail = problem.detail.startsWith(`${name} `)
      ? variable + problem.detail.slice(name.length)
      : problem.detail;
    return { ...problem, pointer: [pointer(variable), ...rest].join('/'), detail };
  });
  const message = problems.map((problem) => problem.detail).join('; ');
  const names = problems.map((problem) => problem.pointer.split('/')[1] ?? '');
  if (names.every((name) => variables.fromText.has(name))) {
    const asParameter = problems.map((problem) => ({ ...problem, code: 'BAD_PARAMETER' }));
    return failure('BAD_PARAMETER', message, { problems: asParameter, cause: error });
  }
  return new DomainError(error.code, error.status, error.title, message, {
    problems,
    headers: error.headers,
    cause: error,
  });
}
