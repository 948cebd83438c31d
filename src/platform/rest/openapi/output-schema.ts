import {
  Kind,
  getNamedType,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  print,
} from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  GraphQLCompositeType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLSchema,
  SelectionSetNode,
} from 'graphql';
import type { JsonSchema } from './notes.js';
import { described, leafSchema, nullable } from './scalar-schema.js';
import type { Schemas } from './schemas.js';

interface Selected {
  readonly name: string;
  readonly node: FieldNode;
}

/**
 * The JSON schemas of what operations select, under the names that their aliases give. The fullest selection of a type
 * becomes the schema of the type's name; others stand where they are used.
 */
export class OutputSchemas {
  readonly #fullest = new Map<string, string>();

  constructor(
    readonly schema: GraphQLSchema,
    readonly schemas: Schemas,
    documents: readonly DocumentNode[],
  ) {
    const sizes = new Map<string, number>();
    for (const document of documents) {
      for (const { type, selection } of selectionsIn(schema, document)) {
        const size = fieldsOf(selection, document, type.name).length;
        if (size <= (sizes.get(type.name) ?? 0)) continue;
        sizes.set(type.name, size);
        this.#fullest.set(type.name, signature(selection, document, type.name));
      }
    }
  }

  /** Of a field's value. `flatten`: the member whose members stand beside the others. */
  of(type: GraphQLOutputType, node: FieldNode, document: DocumentNode, flatten?: string): JsonSchema {
    if (isNonNullType(type)) return this.#present(type.ofType, node, document, flatten);
    return nullable(this.#present(type, node, document, flatten));
  }

  /** The object type behind a field's type. */
  objectOf(type: GraphQLOutputType | undefined): GraphQLObjectType {
    const named = type && getNamedType(type);
    if (!isObjectType(named)) throw new Error(`${String(named)} is no object`);
    return named;
  }

  /** Whether the member to be flattened holds free JSON, and not an object of known members. */
  isJsonMember(
    type: GraphQLOutputType,
    node: FieldNode,
    document: DocumentNode,
    member: string | undefined,
  ): boolean {
    if (member === undefined || !node.selectionSet) return false;
    const owner = this.objectOf(type);
    const found = fieldsOf(node.selectionSet, document, owner.name).find(({ name }) => name === member);
    return found !== undefined && found.node.selectionSet === undefined;
  }

  #present(
    type: Exclude<GraphQLOutputType, { ofType: unknown }> | GraphQLOutputType,
    node: FieldNode,
    document: DocumentNode,
    flatten?: string,
  ): JsonSchema {
    if (isListType(type)) {
      return { type: 'array', items: this.of(type.ofType as GraphQLOutputType, node, document, flatten) };
    }
    if (isCompositeType(type)) return this.#composite(type, node.selectionSet, document, flatten);
    const leaf = leafSchema(type);
    return leaf['enum'] === undefined ? leaf : this.schemas.ref(type.name, () => leaf);
  }

  #composite(
    type: GraphQLCompositeType,
    selection: SelectionSetNode | undefined,
    document: DocumentNode,
    flatten?: string,
  ): JsonSchema {
    if (!selection) throw new Error(`Nothing of ${type.name} is selected`);
    if (isUnionType(type)) {
      const members = type.getTypes().map((member) => this.#composite(member, selection, document));
      return this.schemas.ref(type.name, () => ({ oneOf: members, ...described(type.description) }));
    }
    const make = () => this.#object(type, selection, document, flatten);
    const isFullest = this.#fullest.get(type.name) === signature(selection, document, type.name);
    return isFullest ? this.schemas.ref(type.name, make) : make();
  }

  #object(
    type: GraphQLCompositeType,
    selection: SelectionSetNode,
    document: DocumentNode,
    flatten?: string,
  ): JsonSchema {
    if (!isObjectType(type)) throw new Error(`${type.name} is no object`);
    const properties: Record<string, JsonSchema> = {};
    for (const { name, node } of fieldsOf(selection, document, type.name)) {
      const field = type.getFields()[node.name.value];
      if (!field || name === flatten) continue;
      const schema = this.of(field.type, node, document);
      properties[name] = { ...schema, ...described(field.description) };
    }
    return {
      type: 'object',
      required: Object.keys(properties),
      properties,
      ...(flatten === undefined
        ? {}
        : { additionalProperties: { description: 'The value of a custom field; null where it has none.' } }),
      ...described(type.description),
    };
  }
}

/** The fields that a selection comes to for an object of this type, with fragments in place. */
export function fieldsOf(set: SelectionSetNode, document: DocumentNode, typeName: string): Selected[] {
  return set.selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD)
      return [{ name: selection.alias?.value ?? selection.name.value, node: selection }];
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : fragmentOf(document, selection.name.value);
    const applies = (fragment.typeCondition?.name.value ?? typeName) === typeName;
    return applies ? fieldsOf(fragment.selectionSet, document, typeName) : [];
  });
}

function fragmentOf(document: DocumentNode, name: string) {
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name) return node;
  throw new Error(`There is no fragment ${name}`);
}

function signature(set: SelectionSetNode, document: DocumentNode, typeName: string): string {
  const parts = fieldsOf(set, document, typeName).map(({ name, node }) => `${name}=${print(node)}`);
  return parts.sort().join(',');
}

/** Every selection of an object type in a document. */
function* selectionsIn(schema: GraphQLSchema, document: DocumentNode) {
  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    const root = schema.getRootType(node.operation);
    if (root) yield* within(root, node.selectionSet, document);
  }
}

function* within(
  type: GraphQLCompositeType,
  selection: SelectionSetNode,
  document: DocumentNode,
): Generator<{ type: GraphQLCompositeType; selection: SelectionSetNode }> {
  if (isUnionType(type)) {
    for (const member of type.getTypes()) yield* within(member, selection, document);
    return;
  }
  yield { type, selection };
  if (!isObjectType(type)) return;
  for (const { node } of fieldsOf(selection, document, type.name)) {
    const field = type.getFields()[node.name.value];
    const inner = field && getNamedType(field.type);
    if (node.selectionSet && isCompositeType(inner)) yield* within(inner, node.selectionSet, document);
  }
}
