import type { ApolloServerPlugin } from '@apollo/server';
import type { RequestContext } from './request-context.js';

const LEGACY = 'application/json';
const CURRENT = 'application/graphql-response+json';

/**
 * Answers 200 to a well-formed request whose operation is refused, where the client asks for `application/json` and
 * nothing else (GraphQL over HTTP §6.4.1): such clients take any other status for that of a proxy, and don't look at
 * the errors. A key that is missing or lacks a scope stays 401 and 403, and what is no GraphQL request 400.
 */
export function legacyStatus(): ApolloServerPlugin<RequestContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        willSendResponse({ request, response }) {
          const accept = request.http?.headers.get('accept') ?? '';
          if (accept.includes(CURRENT)) {
            response.http.headers.set('content-type', `${CURRENT}; charset=utf-8`);
            return Promise.resolve();
          }
          if (response.body.kind !== 'single') return Promise.resolve();
          // Whatever else is accepted: Apollo would answer 406 now, when all has been done.
          response.http.headers.set('content-type', `${LEGACY}; charset=utf-8`);
          if (!accept.includes(LEGACY)) return Promise.resolve();
          const code = response.body.singleResult.errors?.[0]?.extensions?.['code'];
          const isRefused = response.http.status === 400 || response.http.status === 422;
          // Apollo's own code for what holds no operation at all.
          if (isRefused && code !== 'BAD_REQUEST') response.http.status = 200;
          return Promise.resolve();
        },
      }),
  };
}
