import { ApolloServer } from '@apollo/server';
import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { GraphQLError, Kind } from 'graphql';
import type { GraphQLFormattedError, GraphQLSchema, OperationDefinitionNode } from 'graphql';
// Its ES module brings a second copy of graphql-js with it, whose types don't know ours.
import { fieldExtensionsEstimator, getComplexity, simpleEstimator } from 'graphql-query-complexity/cjs';
import type { DomainError } from '../errors.js';
import { invalidFields, pointer } from '../errors.js';
import { apiKeyMissing } from './access.js';
import { explainVariables } from './explain-variables.js';
import { GRAPHQL_LIMITS, aliasLimit, depthLimit } from './limits.js';
import { maskError, reportError } from './mask.js';
import type { RequestContext } from './request-context.js';

/** Apollo Server for `/graphql`: limits, variables explained as REST explains them, and errors masked. */
export function createGraphqlServer(schema: GraphQLSchema): ApolloServer<RequestContext> {
  return new ApolloServer<RequestContext>({
    schema,
    introspection: true,
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxLexicalTokens: GRAPHQL_LIMITS.tokensMax },
    validationRules: [depthLimit, aliasLimit],
    plugins: [ApolloServerPluginLandingPageDisabled(), checksBeforeExecution(schema), errorReports()],
    formatError: formatGraphqlError,
    stopOnTerminationSignals: false,
  });
}

/** What depends on the caller or on the variables, and so can't be a validation rule: those are cached per document. */
function checksBeforeExecution(schema: GraphQLSchema): ApolloServerPlugin<RequestContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didResolveOperation({ request, operation, document, contextValue }) {
          if (!operation) return Promise.resolve();
          if (!contextValue.caller.authenticated && asksForSchema(operation))
            throw asGraphqlError(apiKeyMissing());
          const variables = request.variables ?? {};
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
            operationName: operation.name?.value ?? '',
            variables,
            estimators: [fieldExtensionsEstimator(), simpleEstimator({ defaultComplexity: 1 })],
          });
          if (complexity > GRAPHQL_LIMITS.complexityMax) {
            const detail = `The operation costs ${complexity}; allowed are ${GRAPHQL_LIMITS.complexityMax}. Ask for fewer rows`;
            throw new GraphQLError(detail, {
              extensions: { code: 'QUERY_TOO_COMPLEX', limit: 'COMPLEXITY' },
            });
          }
          return Promise.resolve();
        },
      }),
  };
}

/** Logs what nobody expected, and puts the request id beside each error, as REST does. */
function errorReports(): ApolloServerPlugin<RequestContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didEncounterErrors({ errors, contextValue }) {
          for (const error of errors.filter((item) => !isOwn(item))) {
            reportError(error, contextValue.log, contextValue.requestId);
          }
          return Promise.resolve();
        },
        willSendResponse({ response, contextValue }) {
          if (response.body.kind !== 'single') return Promise.resolve();
          const { errors } = response.body.singleResult;
          const [code] = errors?.map((error) => error.extensions?.['code']) ?? [];
          if (typeof code === 'string') contextValue.facts.code ??= code;
          for (const error of errors ?? []) {
            Object.assign((error as { extensions: object }).extensions, {
              request_id: contextValue.requestId,
            });
          }
          return Promise.resolve();
        },
      }),
  };
}

/** The schema is no secret, but it is also none of the business of whoever scans the internet. */
function asksForSchema(operation: OperationDefinitionNode): boolean {
  return operation.selectionSet.selections.some(
    (selection) => selection.kind === Kind.FIELD && ['__schema', '__type'].includes(selection.name.value),
  );
}

/** GraphQL's own errors (parsing, validation, limits) speak for themselves; all others are masked. */
function formatGraphqlError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  return isOwn(error) ? formatted : toGraphqlFormat(maskError(error), formatted);
}

function isOwn(error: unknown): boolean {
  if (!(error instanceof GraphQLError) || error.originalError) return false;
  const code = error.extensions['code'];
  return typeof code === 'string' ? code !== 'INTERNAL_SERVER_ERROR' : error.path === undefined;
}

function toGraphqlFormat(
  error: DomainError,
  base: Partial<GraphQLFormattedError> = {},
): GraphQLFormattedError {
  return { ...base, message: error.message, extensions: extensionsOf(error) };
}

function asGraphqlError(error: DomainError): GraphQLError {
  return new GraphQLError(error.message, { extensions: extensionsOf(error) });
}

function extensionsOf(error: DomainError): Record<string, unknown> {
  return {
    code: error.code,
    status: error.status,
    ...(error.problems.length > 0 ? { errors: error.problems } : {}),
  };
}

/** An error of the HTTP layer (malformed JSON, body too large) in the shape that GraphQL clients read. */
export function graphqlErrorBody(error: DomainError, requestId: string): { errors: GraphQLFormattedError[] } {
  const formatted = toGraphqlFormat(error);
  return { errors: [{ ...formatted, extensions: { ...formatted.extensions, request_id: requestId } }] };
}
