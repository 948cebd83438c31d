import type { GraphQLSchema } from 'graphql';
import type { NonEmptyArray } from 'type-graphql';
import { SCOPES } from './licensing/api-keys/scopes.js';
import { licensingResolvers } from './licensing/resolvers.js';
import { buildGatewaySchema } from './platform/graphql/schema.js';

/** The one GraphQL schema: every resource of the licensing service. */
export function createSchema(): GraphQLSchema {
  const resolvers: NonEmptyArray<new () => object> = [...licensingResolvers];
  return buildGatewaySchema(resolvers, SCOPES);
}
