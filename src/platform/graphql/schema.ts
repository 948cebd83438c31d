import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import type { NonEmptyArray } from 'type-graphql';
import { guardSchema } from './access.js';
import { DateTimeScalar } from './scalars.js';

/** The one schema, with access checks and transactions in it. `scopes`: every scope a field may ask for. */
export function buildGatewaySchema(
  resolvers: NonEmptyArray<new () => object>,
  scopes: readonly string[],
): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers,
    container: oneOfEach(),
    // Inputs are checked by their scalars, so that both roads report the same field in the same words.
    validate: false,
    // Asked for as soon as there are subscriptions; each of ours brings its own `subscribe`.
    pubSub: { publish: neverUsed, subscribe: neverUsed },
    scalarsMap: [{ type: Date, scalar: DateTimeScalar }],
  });
  return guardSchema(schema, scopes);
}

/** type-graphql's own looks through a list of them for each field of each object. */
function oneOfEach() {
  const instances = new Map<object, unknown>();
  return {
    get(type: new () => unknown): unknown {
      if (!instances.has(type)) instances.set(type, new type());
      return instances.get(type);
    },
  };
}

function neverUsed(): never {
  throw new Error('Subscriptions bring their own `subscribe`');
}
