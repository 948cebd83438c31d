import { ApolloServer } from '@apollo/server';
import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import type { GraphQLSchema } from 'graphql';
import { checkOperation } from './check-operation.js';
import { formatGraphqlError, isOwn } from './graphql-error.js';
import { GRAPHQL_LIMITS, aliasLimit, extentLimit } from './limits.js';
import { reportError } from './mask.js';
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
          const { variables = {} } = request;
          checkOperation(schema, { document, operation, variables, caller: contextValue.caller });
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
