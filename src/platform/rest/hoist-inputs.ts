import { Kind, isInputObjectType, isNonNullType, parseType, valueFromASTUntyped, visit } from 'graphql';
import type { DocumentNode, FieldNode, GraphQLSchema, OperationDefinitionNode, ValueNode } from 'graphql';
import type { Variables } from '../graphql/explain-variables.js';

export interface HoistedOperation {
  readonly document: DocumentNode;
  /** What the rewritten document takes, made of what the original one takes. */
  variables(given: Variables): Variables;
}

/**
 * Turns `update(input: { note: $note, seats: $seats })` into `update(input: $input)`, with the object put together
 * from what was sent. graphql-jit passes a variable that is absent from such an object on as `null`, against the
 * specification: a PATCH would clear every field that it does not name.
 */
export function hoistInputs(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  field: FieldNode,
): HoistedOperation {
  const root = schema.getRootType(definition.operation)?.getFields()[field.name.value];
  const hoisted = new Map<string, { readonly type: string; readonly value: ValueNode }>();
  for (const { name, value } of field.arguments ?? []) {
    const type = root?.args.find((argument) => argument.name === name.value)?.type;
    if (value.kind !== Kind.OBJECT || !type) continue;
    if (isInputObjectType(isNonNullType(type) ? type.ofType : type))
      hoisted.set(name.value, { type: String(type), value });
  }
  const fillers = [...hoisted].map(([name, { value }]) => [name, fillerOf(value)] as const);
  const named = (name: string) => ({ kind: Kind.NAME, value: name }) as const;
  const variable = (name: string) => ({ kind: Kind.VARIABLE, name: named(name) }) as const;
  const selection: FieldNode = {
    ...field,
    arguments: (field.arguments ?? []).map((argument) =>
      hoisted.has(argument.name.value) ? { ...argument, value: variable(argument.name.value) } : argument,
    ),
  };
  const used = new Set<string>();
  visit(selection, { Variable: (node) => void used.add(node.name.value) });
  const rewritten: OperationDefinitionNode = {
    ...definition,
    variableDefinitions: [
      ...(definition.variableDefinitions ?? []).filter((item) => used.has(item.variable.name.value)),
      ...[...hoisted].map(([name, { type }]) => ({
        kind: Kind.VARIABLE_DEFINITION as const,
        variable: variable(name),
        type: parseType(type),
      })),
    ],
    selectionSet: { ...definition.selectionSet, selections: [selection] },
  };
  return {
    document: {
      ...document,
      definitions: document.definitions.map((item) => (item === definition ? rewritten : item)),
    },
    variables(given) {
      const values = { ...given };
      for (const [name, fill] of fillers) values[name] = fill(given);
      return values;
    },
  };
}

type Filler = (given: Variables) => unknown;

/** Makes the value that a literal stands for; a field whose variable was not sent is not there. */
function fillerOf(node: ValueNode): Filler {
  if (node.kind === Kind.VARIABLE) {
    const name = node.name.value;
    return (given) => given[name];
  }
  if (node.kind !== Kind.OBJECT) return (given) => valueFromASTUntyped(node, given);
  const fields = node.fields.map(({ name, value }) => [name.value, fillerOf(value)] as const);
  return (given) => {
    const object: Record<string, unknown> = {};
    for (const [name, fill] of fields) {
      const value = fill(given);
      if (value !== undefined) object[name] = value;
    }
    return object;
  };
}
