import { ApolloServer } from '@apollo/server';
import type { ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { GraphQLError, OperationTypeNode } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { DomainError } from '../errors.js';
import { limitCaller, requestsIn } from '../limits/limit-caller.js';
import { checkOperation } from './check-operation.js';
import { asGraphqlError, formatGraphqlError, isOwn, withRequestId } from './graphql-error.js';
import { legacyStatus } from './legacy-status.js';
import { answersLists } from './list-answers.js';
import { GRAPHQL_LIMITS, aliasLimit, extentLimit } from './limits.js';
import { reportErrors } from './mask.js';
import { operationFacts } from './operation-facts.js';
import type { RequestContext } from './request-context.js';
import { traced, tracer } from '../tracing/tracing.js';

/** Apollo Server for `/graphql`: limits, variables explained as REST explains them, and errors masked. */
export function createGraphqlServer(schema: GraphQLSchema): ApolloServer<RequestContext> {
  return new TracedServer({
    schema,
    introspection: true,
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxLexicalTokens: GRAPHQL_LIMITS.tokensMax },
    validationRules: [extentLimit, aliasLimit],
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      // It looks at every field of every answer, for hints that we don't give.
      ApolloServerPluginCacheControlDisabled(),
      ...(tracer() ? [namesSpans()] : []),
      checksBeforeExecution(schema),
      errorReports(),
      legacyStatus(),
      answersLists(schema),
    ],
    formatError: formatGraphqlError,
    stopOnTerminationSignals: false,
  });
}

/**
 * A plugin could begin and end a span, but not have what happens in between be in it; and what Apollo refuses before it
 * looks for an operation, no plugin sees.
 */
class TracedServer extends ApolloServer<RequestContext> {
  override async executeHTTPGraphQLRequest(
    ...[request]: Parameters<ApolloServer<RequestContext>['executeHTTPGraphQLRequest']>
  ) {
    const response = await traced({ name: 'graphql', kind: 'internal' }, () =>
      super.executeHTTPGraphQLRequest(request),
    );
    const { status = 200, body } = response;
    if (status < 400 || body.kind !== 'complete') return response;
    const { requestId } = await request.context();
    return { ...response, body: { ...body, string: withRequestId(body.string, requestId) } };
  }
}

/** What an operation is called is known once it has been parsed. Its name is the caller's own, and so no span's. */
function namesSpans(): ApolloServerPlugin<RequestContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didResolveOperation({ operation }) {
          if (operation) tracer()?.note(`graphql ${operation.operation}`, operationFacts(operation));
          return Promise.resolve();
        },
      }),
  };
}

/** What depends on the caller or on the variables, and so can't be a validation rule: those are cached per document. */
function checksBeforeExecution(schema: GraphQLSchema): ApolloServerPlugin<RequestContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        async didResolveOperation({ request, operation, document, contextValue }) {
          if (!operation) return;
          if (operation.operation === OperationTypeNode.SUBSCRIPTION) throw notHere();
          const { variables = {} } = request;
          checkOperation(schema, { document, operation, variables, caller: contextValue.caller });
          // One was counted before anything was read.
          const more = Math.max(requestsIn(schema, document, operation) - 1, 0);
          await limitCaller(contextValue, more).catch(refuse);
        },
      }),
  };
}

/** Executed as a query, it would call what makes a result of an event, without an event. */
function notHere(): GraphQLError {
  const message =
    'Subscriptions are taken over a WebSocket at /graphql, and as server-sent events at /graphql/stream';
  return new GraphQLError(message, {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE', http: { status: 400 } },
  });
}

function refuse(error: unknown): never {
  throw error instanceof DomainError ? asGraphqlError(error) : error;
}

/** Logs what nobody expected, and puts the request id beside each error, as REST does. */
function errorReports(): ApolloServerPlugin<RequestContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didEncounterErrors({ errors, contextValue }) {
          const thrown = errors.filter((error) => !isOwn(error));
          reportErrors(thrown, contextValue.log, contextValue.requestId);
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
