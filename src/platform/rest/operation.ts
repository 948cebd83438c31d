import {
  Kind,
  getNamedType,
  isInputType,
  isObjectType,
  subscribe,
  typeFromAST,
  validate,
  visit,
} from 'graphql';
import type {
  ArgumentNode,
  DocumentNode,
  ExecutionResult,
  FieldNode,
  GraphQLSchema,
  ObjectFieldNode,
  OperationDefinitionNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { explainVariables } from '../graphql/explain-variables.js';
import type { Variables } from '../graphql/explain-variables.js';
import type { RequestContext } from '../graphql/request-context.js';
import type { FieldProblem } from '../errors.js';
import { isLimited } from '../limits/limited.js';
import { operationFacts } from '../graphql/operation-facts.js';
import { withSpan } from '../tracing/tracing.js';
import { hoistInputs } from './hoist-inputs.js';

/** How a variable's text in the path or query is read. */
export type TextKind = 'text' | 'integer' | 'number' | 'boolean';

/** An operation document, parsed, validated and compiled once; running it costs neither parsing nor validation. */
export interface CompiledOperation {
  readonly name: string;
  /** The response name of the one root field. */
  readonly root: string;
  /** The member of the root field's value that is the result; undefined: the value itself. */
  readonly member: string | undefined;
  /** The scope that the root field (or its member) asks for, or `public`. */
  readonly access: string;
  /** The root field has a limit of its own. */
  readonly isLimited: boolean;
  /** Every variable, by name, with how its text is read. */
  readonly variables: ReadonlyMap<string, TextKind>;
  run(ctx: RequestContext, variables: Variables): Promise<ExecutionResult>;
  /** For a subscription: its results, or why there are none. */
  subscribe(
    ctx: RequestContext,
    variables: Variables,
  ): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult>;
  /** Why the variables were refused; empty when they are good. */
  explain(variables: Variables): FieldProblem[];
  /** The variable that feeds an input field or argument (`expires_at` for `expiresAt`), for errors of services. */
  variableFor(inputField: string): string | undefined;
}

/** Throws at start when the document doesn't fit the schema, or doesn't select exactly one root field. */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  member?: string,
): CompiledOperation {
  const definition = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (!definition?.name) throw new Error('An operation document must hold one named operation');
  const name = definition.name.value;
  const [error] = validate(schema, document);
  if (error) throw new Error(`Operation ${name} does not fit the schema: ${error.message}`);
  const [field, ...others] = definition.selectionSet.selections;
  if (field?.kind !== Kind.FIELD || others.length > 0)
    throw new Error(`Operation ${name} must select one root field`);
  const hoisted = hoistInputs(schema, document, definition, field);
  const compiled = compileQuery(schema, hoisted.document, name);
  if (!isCompiledQuery(compiled))
    throw new Error(`Operation ${name} does not compile: ${JSON.stringify(compiled)}`);
  const feeds = inputFields(definition);
  return {
    name,
    root: field.alias?.value ?? field.name.value,
    member,
    isLimited: isLimited(schema.getRootType(definition.operation)?.getFields()[field.name.value]),
    access: accessOf(schema, definition, field, member),
    variables: textKinds(schema, definition),
    run: withSpan(
      { name: `${definition.operation} ${name}`, kind: 'internal', facts: operationFacts(definition) },
      async (ctx, variables) => compiled.query(undefined, ctx, hoisted.variables(variables)),
    ),
    // By graphql-js itself: graphql-jit hands the field the operation's variables in place of its arguments.
    subscribe: async (ctx, variables) =>
      subscribe({ schema, document, operationName: name, contextValue: ctx, variableValues: variables }),
    explain: (variables) => explainVariables(schema, definition, variables),
    variableFor: (inputField) => feeds.get(inputField),
  };
}

function accessOf(
  schema: GraphQLSchema,
  { operation, name }: OperationDefinitionNode,
  field: FieldNode,
  member: string | undefined,
): string {
  const root = schema.getRootType(operation)?.getFields()[field.name.value];
  if (member === undefined) return String(root?.extensions['access']);
  const type = root && getNamedType(root.type);
  const inner = isObjectType(type) ? type.getFields()[member] : undefined;
  if (!inner) throw new Error(`Operation ${name?.value ?? ''} has no member ${member}`);
  return String(inner.extensions['access']);
}

function textKinds(schema: GraphQLSchema, definition: OperationDefinitionNode): Map<string, TextKind> {
  const kinds: Record<string, TextKind> = {
    Int: 'integer',
    Float: 'number',
    Boolean: 'boolean',
    SafeInt: 'integer',
  };
  return new Map(
    (definition.variableDefinitions ?? []).map((variable) => {
      const type = typeFromAST(schema, variable.type);
      const named = isInputType(type) ? getNamedType(type).name : '';
      return [variable.variable.name.value, kinds[named] ?? 'text'];
    }),
  );
}

function inputFields(definition: OperationDefinitionNode): Map<string, string> {
  const feeds = new Map<string, string>();
  const note = ({ name, value }: ArgumentNode | ObjectFieldNode) => {
    if (value.kind === Kind.VARIABLE) feeds.set(name.value, value.name.value);
  };
  visit(definition, { Argument: note, ObjectField: note });
  return feeds;
}
