import {
  Kind,
  TypeInfo,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type {
  GraphQLInputField,
  GraphQLInputObjectType,
  GraphQLInputType,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import type { JsonSchema } from './notes.js';
import { described, leafSchema, nullable } from './scalar-schema.js';
import type { Schemas } from './schemas.js';

/** A variable of an operation, which is a field of the request. */
export interface RequestField {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  /** What a text in the path or the query stands for: of a list one item, and never null. */
  readonly textSchema: JsonSchema;
  readonly description: string | undefined;
}

/** The fields of a request, as the variables of its operation say. */
export function requestFields(
  schema: GraphQLSchema,
  schemas: Schemas,
  definition: OperationDefinitionNode,
): RequestField[] {
  const uses = usesOf(schema, definition);
  return (definition.variableDefinitions ?? []).map((variable) => {
    const name = variable.variable.name.value;
    const type = typeFromAST(schema, variable.type) as GraphQLInputType;
    const present = getNullableType(type);
    const text = isListType(present) ? getNullableType(present.ofType) : present;
    return {
      name,
      required: isNonNullType(type),
      schema: inputSchema(type, schemas),
      textSchema: inputSchema(text, schemas, { present: true }),
      description: uses.get(name),
    };
  });
}

function inputSchema(type: GraphQLInputType, schemas: Schemas, { present = false } = {}): JsonSchema {
  if (isNonNullType(type)) return inputSchema(type.ofType, schemas, { present: true });
  if (!present) return nullable(inputSchema(type, schemas, { present: true }));
  if (isListType(type)) return { type: 'array', items: inputSchema(type.ofType, schemas) };
  if (isInputObjectType(type)) return schemas.ref(type.name, () => objectSchema(type, schemas));
  const leaf = leafSchema(type);
  return leaf['enum'] === undefined ? leaf : schemas.ref(type.name, () => leaf);
}

function objectSchema(type: GraphQLInputObjectType, schemas: Schemas): JsonSchema {
  const fields = Object.values(type.getFields());
  const required = fields.filter(isRequired).map(({ name }) => name);
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(
      fields.map((field) => [
        field.name,
        {
          ...inputSchema(field.type, schemas),
          ...(field.defaultValue === undefined ? {} : { default: field.defaultValue }),
          ...described(field.description),
        },
      ]),
    ),
    additionalProperties: false,
    ...described(type.description),
  };
}

function isRequired({ type, defaultValue }: GraphQLInputField): boolean {
  return isNonNullType(type) && defaultValue === undefined;
}

/** What the schema says of the argument or input field that each variable feeds. */
function usesOf(schema: GraphQLSchema, definition: OperationDefinitionNode): Map<string, string | undefined> {
  const uses = new Map<string, string | undefined>();
  const info = new TypeInfo(schema);
  visit(
    definition,
    visitWithTypeInfo(info, {
      Argument({ name, value }) {
        const argument = info.getFieldDef()?.args.find((each) => each.name === name.value);
        if (value.kind === Kind.VARIABLE) uses.set(value.name.value, argument?.description ?? undefined);
      },
      ObjectField({ name, value }) {
        const type = getNamedType(info.getParentInputType() ?? undefined);
        const field = isInputObjectType(type) ? type.getFields()[name.value] : undefined;
        if (value.kind === Kind.VARIABLE) uses.set(value.name.value, field?.description ?? undefined);
      },
    }),
  );
  return uses;
}
