import { isEnumType } from 'graphql';
import type { GraphQLEnumType, GraphQLScalarType } from 'graphql';
import type { JsonSchema } from './notes.js';

/** GraphQL's own scalars. */
const BUILT_IN: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  ID: { type: 'string' },
};

/** The schema of a leaf: a scalar by the `jsonSchema` it was defined with, an enum by its values. */
export function leafSchema(type: GraphQLScalarType | GraphQLEnumType): JsonSchema {
  if (isEnumType(type)) {
    const values = type.getValues().map(({ name }) => name);
    return { type: 'string', enum: values, ...described(enumText(type)) };
  }
  const own = type.extensions['jsonSchema'] as JsonSchema | undefined;
  const schema = own ?? BUILT_IN[type.name];
  if (schema === undefined) throw new Error(`The scalar ${type.name} has no JSON schema`);
  return schema;
}

/** The same, or null. */
export function nullable(schema: JsonSchema): JsonSchema {
  if (typeof schema['type'] === 'string' && schema['enum'] === undefined)
    return { ...schema, type: [schema['type'], 'null'] };
  // Whatever any value may be, null may be too.
  if (Object.keys(schema).every((key) => key === 'description')) return schema;
  return { anyOf: [schema, { type: 'null' }] };
}

export function described(description: string | null | undefined): JsonSchema {
  return description ? { description } : {};
}

function enumText(type: GraphQLEnumType): string | undefined {
  const values = type.getValues().filter(({ description }) => description);
  const lines = values.map(({ name, description }) => `- \`${name}\`: ${description ?? ''}`);
  const text = [type.description ?? '', lines.join('\n')].filter((part) => part !== '').join('\n\n');
  return text === '' ? undefined : text;
}
