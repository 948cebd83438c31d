import { HeaderMap } from '@apollo/server';
import type { ApolloServerPlugin } from '@apollo/server';
import { OperationTypeNode, getVariableValues } from 'graphql';
import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { Irregular, answerBreadthFirst } from './breadth-first.js';
import type { RequestContext } from './request-context.js';
import { planSelection } from './selection-plan.js';

/**
 * Answers queries with lists in them breadth first, which takes a fraction of the time. Whatever is not a success is
 * left to graphql-js, which runs the query again and tells its errors: a query changes nothing.
 */
export function answersLists(schema: GraphQLSchema): ApolloServerPlugin<RequestContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        async responseForOperation({ request, document, operation, contextValue }) {
          // Its types don't say so: there is none where `operationName` names none.
          const asked = operation as OperationDefinitionNode | undefined;
          if (asked?.operation !== OperationTypeNode.QUERY) return null;
          const variables = getVariableValues(
            schema,
            operation.variableDefinitions ?? [],
            request.variables ?? {},
          ).coerced;
          const selection = variables && planSelection({ schema, document, operation, variables });
          if (!selection) return null;
          try {
            const data = await answerBreadthFirst(selection, contextValue);
            return { http: { headers: new HeaderMap() }, body: { kind: 'single', singleResult: { data } } };
          } catch (error) {
            if (error instanceof Irregular) return null;
            throw error;
          }
        },
      }),
  };
}
