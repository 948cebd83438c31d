import {
  Kind,
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getNamedType,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  parse,
} from 'graphql';
import type {
  FieldNode,
  FragmentDefinitionNode,
  GraphQLOutputType,
  GraphQLSchema,
  SelectionSetNode,
} from 'graphql';
import type { Operation } from './operations.js';

/** What is in the data that nobody asked for, or not in it though it was; undefined: nothing. */
export function misshapen(schema: GraphQLSchema, operation: Operation, data: unknown): string | undefined {
  const { definitions } = parse(operation.query);
  const asked = definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  const root = asked && schema.getRootType(asked.operation);
  if (!root) return undefined;
  const fragments = new Map(
    definitions
      .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node] as const),
  );
  // Directives' variables are never left out here, and have no defaults.
  return new Shape(schema, fragments, operation.variables).wrongOf([asked.selectionSet], root, data, 'data');
}

const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: (value) => Number.isInteger(value),
  SafeInt: (value) => Number.isSafeInteger(value),
  Float: (value) => typeof value === 'number',
  Boolean: (value) => typeof value === 'boolean',
  DateTime: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  JSON: (value) => value !== undefined,
  JSONObject: (value) => typeof value === 'object' && !Array.isArray(value),
};

class Shape {
  constructor(
    readonly schema: GraphQLSchema,
    readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    readonly variables: Operation['variables'],
  ) {}

  /** A value against its type and all that was selected of it. */
  wrongOf(
    selected: readonly SelectionSetNode[],
    type: GraphQLOutputType,
    value: unknown,
    path: string,
  ): string | undefined {
    if (value === null) return isNonNullType(type) ? `${path} is null` : undefined;
    const inner = getNullableType(type);
    if (isListType(inner)) {
      if (!Array.isArray(value)) return `${path} is no list`;
      const all = value.map((each, n) => this.wrongOf(selected, inner.ofType, each, `${path}.${n}`));
      return all.find((wrong) => wrong !== undefined);
    }
    if (isLeafType(inner)) {
      const isRight = isEnumType(inner)
        ? inner.getValues().some(({ name }) => name === value)
        : (SCALARS[inner.name] ?? ((each: unknown) => typeof each === 'string'))(value);
      return isRight ? undefined : `${path} is no ${inner.name}: ${JSON.stringify(value)}`;
    }
    const { __typename: named } = value as { __typename?: string };
    const object = isUnionType(inner) ? this.schema.getType(named ?? '') : getNamedType(inner);
    if (!isObjectType(object)) return `${path} says nothing of its type`;
    const fields = new Map<string, FieldNode[]>();
    for (const set of selected) this.#collect(set, object.name, fields);
    const [expected, found] = [[...fields.keys()].join(), Object.keys(value as object).join()];
    if (expected !== found) return `${path} has ${found} in place of ${expected}`;
    for (const [name, nodes] of fields) {
      const field = object.getFields()[nodes[0]?.name.value ?? ''];
      const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      const member = (value as Record<string, unknown>)[name];
      const wrong = field && this.wrongOf(sets, field.type, member, `${path}.${name}`);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  /** By response name, in the order of the answer. */
  #collect({ selections }: SelectionSetNode, type: string, fields: Map<string, FieldNode[]>): void {
    for (const selection of selections) {
      const skip = getDirectiveValues(GraphQLSkipDirective, selection, this.variables);
      const include = getDirectiveValues(GraphQLIncludeDirective, selection, this.variables);
      if (skip?.['if'] === true || include?.['if'] === false) continue;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        fields.set(name, [...(fields.get(name) ?? []), selection]);
        continue;
      }
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : this.fragments.get(selection.name.value);
      const on = fragment?.typeCondition?.name.value;
      // A union's fragments are on its members; no other condition is another type's.
      if (fragment && (on === undefined || on === type || isUnionType(this.schema.getType(on))))
        this.#collect(fragment.selectionSet, type, fields);
    }
  }
}
