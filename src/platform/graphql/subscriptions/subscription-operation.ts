import {
  GraphQLError,
  OperationTypeNode,
  createSourceEventStream,
  execute,
  getOperationAST,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import type {
  DocumentNode,
  ExecutionArgs,
  FormattedExecutionResult,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import { limitCaller, requestsIn } from '../../limits/limit-caller.js';
import { checkOperation } from '../check-operation.js';
import { GRAPHQL_LIMITS, aliasLimit, extentLimit } from '../limits.js';
import type { RequestContext } from '../request-context.js';
import { OperationRefused, exposeErrors } from './operation-refused.js';
import type { Turns } from './turns.js';

/** What a client asks for. */
export interface OperationRequest {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
}

const RULES = [...specifiedRules, extentLimit, aliasLimit];
/**
 * Starts a subscription under the same limits, checks and masking as a query. Each result has a context of its own:
 * what one loaded is old by the next, and waits for its turn. Throws {@link OperationRefused}.
 */
export async function startSubscription(
  { schema, turns }: { readonly schema: GraphQLSchema; readonly turns: Turns },
  request: OperationRequest,
  contextFor: () => RequestContext,
): Promise<AsyncGenerator<FormattedExecutionResult, undefined>> {
  const contextValue = contextFor();
  const { document, operation } = readOperation(schema, request);
  const variables = request.variables ?? {};
  attempt(() => {
    checkOperation(schema, { document, operation, variables, caller: contextValue.caller });
  });
  await limitCaller(contextValue, Math.max(requestsIn(schema, document, operation), 1));
  const args: ExecutionArgs = {
    ...{ schema, document, variableValues: variables },
    operationName: request.operationName ?? null,
  };
  const events = await createSourceEventStream({ ...args, contextValue });
  if (!(Symbol.asyncIterator in events)) throw new OperationRefused(events.errors ?? []);
  const resultOf = async (rootValue: unknown) => {
    const eventContext = contextFor();
    const { errors, ...result } = await execute({ ...args, rootValue, contextValue: eventContext });
    return errors ? { ...result, errors: exposeErrors(errors, eventContext) } : result;
  };
  return results(events[Symbol.asyncIterator](), (event) => turns.run(() => resultOf(event)));
}

function readOperation(
  schema: GraphQLSchema,
  { query, operationName }: OperationRequest,
): { document: DocumentNode; operation: OperationDefinitionNode } {
  const document = attempt(
    () => parse(query, { maxTokens: GRAPHQL_LIMITS.tokensMax }),
    'GRAPHQL_PARSE_FAILED',
  );
  const problems = validate(schema, document, RULES);
  if (problems.length > 0) {
    throw new OperationRefused(problems.map((problem) => withCode(problem, 'GRAPHQL_VALIDATION_FAILED')));
  }
  const operation = getOperationAST(document, operationName);
  if (!operation) throw refused('operationName must be the name of one of the operations');
  if (operation.operation !== OperationTypeNode.SUBSCRIPTION) {
    throw refused(`Only subscriptions are taken here; send a ${operation.operation} to POST /graphql`);
  }
  return { document, operation };
}

function refused(message: string): OperationRefused {
  return new OperationRefused([withCode(new GraphQLError(message), 'OPERATION_RESOLUTION_FAILURE')]);
}

/** Runs what throws a GraphQLError, as a refusal. */
function attempt<T>(check: () => T, code?: string): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new OperationRefused([code === undefined ? error : withCode(error, code)]);
  }
}

/** The error with a code, unless it has its own. */
function withCode(error: GraphQLError, code: string): GraphQLError {
  error.extensions['code'] ??= code;
  return error;
}

/** Maps one event after the other. Unlike an async generator it ends at once, also while it waits for an event. */
function results<T>(
  events: AsyncIterator<unknown>,
  resultOf: (event: unknown) => Promise<T>,
): AsyncGenerator<T, undefined> {
  return {
    async next() {
      const event = await events.next();
      if (event.done === true) return { done: true, value: undefined };
      return { done: false, value: await resultOf(event.value) };
    },
    async return() {
      await events.return?.();
      return { done: true, value: undefined };
    },
    async throw(error: unknown) {
      await events.return?.();
      throw error;
    },
    async [Symbol.asyncDispose]() {
      await events.return?.();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
