import type { JsonSchema } from './notes.js';
import type { Schemas } from './schemas.js';

/** What stands for a value of a type that has no example of its own. */
const PLAIN: Readonly<Record<string, unknown>> = {
  boolean: true,
  integer: 1,
  number: 1,
  string: 'text',
  null: null,
  object: {},
};

/** An example of a value: the one that was written for its record, else one put together from its members'. */
export function exampleOf(
  schema: JsonSchema,
  schemas: Schemas,
  records: Readonly<Record<string, unknown>>,
): unknown {
  const name = schemas.nameOf(schema);
  if (name !== undefined) return records[name] ?? exampleOf(schemas.resolve(schema), schemas, records);
  const {
    enum: values,
    oneOf,
    anyOf,
    type,
    items,
    properties,
    format,
  } = schema as {
    enum?: unknown[];
    oneOf?: JsonSchema[];
    anyOf?: JsonSchema[];
    type?: string | string[];
    items?: JsonSchema;
    properties?: Record<string, JsonSchema>;
    format?: string;
  };
  if (values) return values[0];
  const [choice] = oneOf ?? anyOf ?? [];
  if (choice) return exampleOf(choice, schemas, records);
  if (items) return [exampleOf(items, schemas, records)];
  if (properties) {
    const members = Object.entries(properties);
    return Object.fromEntries(members.map(([key, value]) => [key, exampleOf(value, schemas, records)]));
  }
  if (format === 'date-time') return '2026-01-15T12:00:00.000Z';
  return PLAIN[[type ?? 'string'].flat()[0] ?? ''];
}
