import type { OperationDefinitionNode } from 'graphql';
import type { SpanFacts } from '../tracing/tracing.js';

const NAME_LENGTH_MAX = 100;

/** What a span says of an operation: its kind, and the name that its author gave it. */
export function operationFacts({ operation, name }: OperationDefinitionNode): SpanFacts {
  return {
    'graphql.operation.type': operation,
    ...(name && { 'graphql.operation.name': name.value.slice(0, NAME_LENGTH_MAX) }),
  };
}
