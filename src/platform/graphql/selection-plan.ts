import {
  Kind,
  TypeNameMetaFieldDef,
  defaultFieldResolver,
  getArgumentValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLFieldResolver,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLResolveInfo,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
// What graphql-js itself collects fields with: fragments, directives and aliases mean here what they mean there.
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import { isLimited } from '../limits/limited.js';
import { resolveAllOf } from './batched.js';
import type { ResolveAll } from './batched.js';
import type { RequestContext } from './request-context.js';

/** The fields of a selection, in the order of the answer. */
export interface SelectionPlan {
  readonly fields: readonly FieldPlan[];
}

export interface FieldPlan {
  /** Its name in the answer. */
  readonly name: string;
  readonly resolve: GraphQLFieldResolver<unknown, RequestContext>;
  /** Instead of `resolve`, where there is one. */
  readonly resolveAll: ResolveAll<unknown> | undefined;
  readonly args: Record<string, unknown>;
  /** Shared by all objects, so its path has no places in lists. */
  readonly info: GraphQLResolveInfo;
  readonly value: ValuePlan;
}

/** How what a resolver gave becomes what is answered. */
export type ValuePlan = { readonly isNullable: boolean } & (
  | { readonly kind: 'leaf'; serialize(value: unknown): unknown }
  | { readonly kind: 'object'; readonly selection: SelectionPlan }
  | { readonly kind: 'list'; readonly item: ValuePlan }
);

interface Operation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** As `getVariableValues` coerced them. */
  readonly variables: Record<string, unknown>;
}

type Fields = ReadonlyMap<string, readonly FieldNode[]>;
type Path = GraphQLResolveInfo['path'] | undefined;

/**
 * What an operation selects, with fragments, directives and arguments worked out once for all objects of a list;
 * graphql-js does it for each. Undefined without a list, for fields with a limit of their own, and for what a plan
 * can't say: introspection, unions, arguments that are wrong.
 */
export function planSelection(operation: Operation): SelectionPlan | undefined {
  try {
    return new Planner(operation).plan();
  } catch (error) {
    if (error instanceof Unplannable) return undefined;
    throw error;
  }
}

class Unplannable extends Error {}

class Planner {
  readonly #operation: Operation;
  #hasList = false;
  readonly #fragments: Record<string, FragmentDefinitionNode> = Object.create(null) as Record<string, never>;

  constructor(operation: Operation) {
    this.#operation = operation;
    for (const definition of operation.document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments[definition.name.value] = definition;
    }
  }

  plan(): SelectionPlan | undefined {
    const { schema, operation, variables } = this.#operation;
    const type = schema.getRootType(operation.operation);
    if (!type) throw new Unplannable();
    const fields = collectFields(schema, this.#fragments, variables, type, operation.selectionSet);
    const selection = this.#selection(type, fields, undefined);
    return this.#hasList ? selection : undefined;
  }

  #selection(type: GraphQLObjectType, fields: Fields, path: Path): SelectionPlan {
    return { fields: [...fields].map(([name, nodes]) => this.#field(type, name, nodes, path)) };
  }

  #field(parentType: GraphQLObjectType, name: string, nodes: readonly FieldNode[], above: Path): FieldPlan {
    const { schema, operation, variables } = this.#operation;
    const [node] = nodes;
    const fieldName = node?.name.value ?? '';
    const field =
      fieldName === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : parentType.getFields()[fieldName];
    if (!node || !field || isLimited(field)) throw new Unplannable();
    const path = { prev: above, key: name, typename: parentType.name };
    const info: GraphQLResolveInfo = {
      ...{ fieldName, fieldNodes: nodes, returnType: field.type, parentType, path, schema, operation },
      ...{ fragments: this.#fragments, rootValue: undefined, variableValues: variables },
    };
    return {
      name,
      resolve: field.resolve ?? defaultFieldResolver,
      resolveAll: resolveAllOf(field),
      args: argumentsOf(field, node, variables),
      info,
      value: this.#value(field.type, nodes, path),
    };
  }

  #value(type: GraphQLOutputType, nodes: readonly FieldNode[], path: Path): ValuePlan {
    if (isNonNullType(type)) return { ...this.#value(type.ofType, nodes, path), isNullable: false };
    const isNullable = true;
    if (isListType(type)) {
      const item = this.#value(type.ofType, nodes, path);
      this.#hasList ||= item.kind === 'object';
      return { isNullable, kind: 'list', item };
    }
    if (isLeafType(type)) return { isNullable, kind: 'leaf', serialize: (value) => type.serialize(value) };
    if (!isObjectType(type) || type.isTypeOf) throw new Unplannable();
    const { schema, variables } = this.#operation;
    const fields = collectSubfields(schema, this.#fragments, variables, type, nodes);
    return { isNullable, kind: 'object', selection: this.#selection(type, fields, path) };
  }
}

function argumentsOf(
  field: Parameters<typeof getArgumentValues>[0],
  node: FieldNode,
  variables: Record<string, unknown>,
): Record<string, unknown> {
  try {
    return getArgumentValues(field, node, variables);
  } catch {
    throw new Unplannable();
  }
}
