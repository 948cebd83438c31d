import { BREAK, GraphQLError, visit } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
// Its ES module brings a second copy of graphql-js with it, whose types don't know ours.
import { fieldExtensionsEstimator, getComplexity, simpleEstimator } from 'graphql-query-complexity/cjs';
import type { Caller } from '../context.js';
import { invalidFields, pointer } from '../errors.js';
import { apiKeyMissing } from './access.js';
import { explainVariables } from './explain-variables.js';
import type { Variables } from './explain-variables.js';
import { asGraphqlError } from './graphql-error.js';
import { GRAPHQL_LIMITS } from './limits.js';

/** One operation of a valid document, and who asks for it. */
export interface CheckedOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Variables;
  readonly caller: Caller;
}

/** Throws a GraphQLError when the caller may not see the schema, a variable is wrong, or the operation costs too much. */
export function checkOperation(
  schema: GraphQLSchema,
  { document, operation, variables, caller }: CheckedOperation,
): void {
  if (!caller.authenticated && asksForSchema(document)) throw asGraphqlError(apiKeyMissing());
  const [first, ...others] = explainVariables(schema, operation, variables);
  if (first) {
    const problems = [first, ...others].map((problem) => ({
      ...problem,
      pointer: pointer('variables') + problem.pointer,
    }));
    throw asGraphqlError(invalidFields(problems as [typeof first]));
  }
  const complexity = getComplexity({
    schema,
    query: document,
    ...(operation.name ? { operationName: operation.name.value } : {}),
    variables,
    estimators: [fieldExtensionsEstimator(), simpleEstimator({ defaultComplexity: 1 })],
  });
  if (complexity > GRAPHQL_LIMITS.complexityMax) {
    const detail = `The operation costs ${complexity}; allowed are ${GRAPHQL_LIMITS.complexityMax}. Ask for fewer rows`;
    throw new GraphQLError(detail, {
      extensions: { code: 'QUERY_TOO_COMPLEX', limit: 'COMPLEXITY', http: { status: 400 } },
    });
  }
}

/** The schema is no secret, but it is also none of the business of whoever scans the internet. */
function asksForSchema(document: DocumentNode): boolean {
  let asks = false;
  // In the whole document, since a fragment may ask as well; only the root has such fields.
  visit(document, {
    Field({ name }) {
      asks = name.value === '__schema' || name.value === '__type';
      return asks ? BREAK : undefined;
    },
  });
  return asks;
}
