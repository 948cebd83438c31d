import { ApolloServer, HeaderMap } from '@apollo/server';
import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { BREAK, GraphQLError, visit } from 'graphql';
import type { DocumentNode, GraphQLFormattedError, GraphQLSchema } from 'graphql';
// Its ES module brings a second copy of graphql-js with it, whose types don't know ours.
import { fieldExtensionsEstimator, getComplexity, simpleEstimator } from 'graphql-query-complexity/cjs';
import type { DomainError } from '../errors.js';
import { invalidFields, pointer } from '../errors.js';
import { apiKeyMissing } from './access.js';
import { explainVariables } from './explain-variables.js';
import { GRAPHQL_LIMITS, aliasLimit, extentLimit } from './limits.js';
import { maskError, reportError } from './mask.js';
import type { RequestContext } from './request-context.js';

/** Apollo Server for `/graphql`: limits, variables explained as REST explains them, and errors masked. */
export function createGraphqlServer(schema: GraphQLSchema): ApolloServer<RequestContext> {
  return new ApolloServer<RequestContext>({
    schema,
    introspection: true,
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxLexicalTokens: GRAPHQL_LIMITS.tokensMax },
    validationRules: [extentLimit, aliasLimit],
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
          if (!contextValue.caller.authenticated && asksForSchema(document))
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

/** GraphQL's own errors (parsing, validation, limits) speak for themselves; all others are masked. */
function formatGraphqlError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  if (!isOwn(error)) return toGraphqlFormat(maskError(error), formatted);
  // Apollo puts a code of its own over that of a validation rule.
  const { originalError } = error;
  const code = originalError instanceof GraphQLError ? originalError.extensions['code'] : undefined;
  return { ...formatted, extensions: { ...formatted.extensions, ...(code === undefined ? {} : { code }) } };
}

function isOwn(error: unknown): error is GraphQLError {
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
function asGraphqlError(error: DomainError): GraphQLError {
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

/** An error of the HTTP layer (malformed JSON, body too large) in the shape that GraphQL clients read. */
export function graphqlErrorBody(error: DomainError, requestId: string): { errors: GraphQLFormattedError[] } {
  const formatted = toGraphqlFormat(error);
  return { errors: [{ ...formatted, extensions: { ...formatted.extensions, request_id: requestId } }] };
}
