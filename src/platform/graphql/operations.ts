import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { GraphQLSchema } from 'graphql';
import { compileOperation } from '../rest/operation.js';
import type { CompiledOperation } from '../rest/operation.js';
import { runOperation } from '../rest/outcome.js';
import type { RequestContext } from './request-context.js';

/**
 * Operations run in this process, as any client's would be: by their documents, with the same access checks,
 * transactions and errors. Each document selects one root field, whose value is the result.
 */
export class Operations {
  readonly #schema: () => GraphQLSchema;
  readonly #contextFor: () => RequestContext;
  readonly #compiled = new Map<object, CompiledOperation>();

  /** The schema is asked for at the first operation: who runs none needs none. */
  constructor(schema: () => GraphQLSchema, contextFor: () => RequestContext) {
    this.#schema = schema;
    this.#contextFor = contextFor;
  }

  /** Throws a `DomainError`. */
  async run<Result extends object, Variables extends Record<string, unknown>>(
    document: TypedDocumentNode<Result, Variables>,
    variables: Variables,
  ): Promise<Result[keyof Result]> {
    let operation = this.#compiled.get(document);
    if (!operation) {
      operation = compileOperation(this.#schema(), document);
      this.#compiled.set(document, operation);
    }
    const value = await runOperation(operation, this.#contextFor(), {
      values: variables,
      fromText: new Set(),
    });
    return value as Result[keyof Result];
  }
}
