import { GraphQLError, parse } from 'graphql';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { Caller } from '../../../platform/context.js';
import type { Operations } from '../../../platform/graphql/operations.js';
import type { GraphqlDocument } from '../define-module.js';

/** What modules may do by operations: all of licensing, and see the bot. */
const SCOPES = new Set(['licensing:read', 'licensing:write', 'bot:read']);
/** Texts that are kept parsed; a module has a few, unless it puts values into them. */
const TEXTS_MAX = 200;

/** Operations of modules, each in its module's name: `module:welcome` is what the activity log shows. */
export class ModuleOperations {
  readonly #operationsAs: (caller: Caller) => Operations;
  readonly #byModule = new Map<string, Operations>();
  readonly #parsed = new Map<string, GraphqlDocument<never>>();

  constructor(operationsAs: (caller: Caller) => Operations) {
    this.#operationsAs = operationsAs;
  }

  /** The value of the one root field. Throws a `DomainError`. */
  async run<Result>(
    module: string,
    operation: string | GraphqlDocument<Result>,
    variables: object,
  ): Promise<Result[keyof Result]> {
    const document = typeof operation === 'string' ? this.#parse(operation) : operation;
    const value: unknown = await this.#operationsOf(module).run(
      document as unknown as TypedDocumentNode<object, Record<string, unknown>>,
      variables as Record<string, unknown>,
    );
    return value as Result[keyof Result];
  }

  #operationsOf(module: string): Operations {
    const name = `module:${module}`;
    const known = this.#byModule.get(module);
    if (known) return known;
    const operations = this.#operationsAs({ name, id: name, scopes: SCOPES, authenticated: true });
    this.#byModule.set(module, operations);
    return operations;
  }

  #parse(text: string): GraphqlDocument<never> {
    const known = this.#parsed.get(text);
    if (known) return known;
    if (this.#parsed.size >= TEXTS_MAX) {
      throw new GraphQLError('Too many different operations: put values into variables, not into the text');
    }
    const document = parse(text) as GraphqlDocument<never>;
    this.#parsed.set(text, document);
    return document;
  }
}
