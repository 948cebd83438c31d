import type { ExecutionResult } from 'graphql';
import { DomainError, failure, invalidFields, pointer } from '../errors.js';
import { maskError } from '../graphql/mask.js';
import type { FieldProblem } from '../errors.js';
import type { RequestContext } from '../graphql/request-context.js';
import { limitCaller } from '../limits/limit-caller.js';
import type { CompiledOperation } from './operation.js';
import type { RequestVariables } from './variables.js';

/**
 * Runs the operation and gives its root field's value, or throws a {@link DomainError} in the caller's terms. What is
 * refused ahead of a field with a limit of its own counts for the caller, who may be refused for that.
 */
export async function runOperation(
  operation: CompiledOperation,
  ctx: RequestContext,
  variables: RequestVariables,
): Promise<unknown> {
  const result = await operation.run(ctx, variables.values);
  if (operation.isLimited && isRefusedAhead(result)) await limitCaller(ctx);
  return outcomeOf(operation, result, variables);
}

/** Refused before any resolver ran: only the variables can be at fault. */
function isRefusedAhead({ errors: [error] = [] }: ExecutionResult): boolean {
  return error !== undefined && error.path === undefined;
}

/** What came of an operation: its root field's value (or that of the member it is the door to), or its error, thrown. */
export function outcomeOf(
  operation: CompiledOperation,
  result: ExecutionResult,
  variables: RequestVariables,
): unknown {
  const { data, errors: [error] = [] } = result;
  if (!error) {
    const value: unknown = data?.[operation.root];
    return operation.member === undefined ? value : (value as Record<string, unknown>)[operation.member];
  }
  if (isRefusedAhead(result)) {
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
  const found = error.problems.length > 0 ? error.problems : unstorable(error, variables);
  if (found.length === 0) return error;
  const problems = found.map((problem) => {
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

/** Which variables the database refused for a character that it has none of; it doesn't say itself. */
function unstorable({ code }: DomainError, { values }: RequestVariables): FieldProblem[] {
  if (code !== 'INVALID_FIELD') return [];
  const names = Object.keys(values).filter((name) => [values[name]].flat().some(hasNul));
  return names.map((name) => ({
    ...{ pointer: pointer(name), code },
    detail: `${name} must not contain the character U+0000`,
  }));
}

function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\u0000');
}
