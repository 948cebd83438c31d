import { Kind } from 'graphql';
import type { DocumentNode, FieldNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { compileOperation } from '../operation.js';
import { READ_ONLY_MEMBERS } from '../routes.js';
import type { Route, RouteTable } from '../routes.js';
import { answersOf, without } from './answers.js';
import type { Result } from './answers.js';
import { exampleOf } from './example.js';
import { requestFields } from './input-schema.js';
import type { RequestField } from './input-schema.js';
import type { ApiNotes, JsonSchema, RouteNotes } from './notes.js';
import { OutputSchemas, fieldsOf } from './output-schema.js';
import { SHARED_PARAMETERS, headerParameters, parameterOf } from './parameters.js';
import { PROBLEM_SCHEMAS, Problems, RESPONSE_HEADERS } from './problems.js';
import { Schemas } from './schemas.js';

export interface OpenapiOptions {
  readonly schema: GraphQLSchema;
  readonly tables: readonly RouteTable[];
  readonly notes: ApiNotes;
  /** Of the program. */
  readonly version: string;
}

/** An OpenAPI 3.1 document. Loose, since it is made to be written down. */
export type OpenapiDocument = Readonly<Record<string, unknown>>;

/**
 * The OpenAPI 3.1 document of an API: paths, parameters, bodies, answers and errors as the route tables, the compiled
 * operations and the GraphQL schema have them; words and examples from the notes. Throws when a row has no notes, or
 * notes have no row.
 */
export function openapiDocument(options: OpenapiOptions): OpenapiDocument {
  const { tables, notes } = options;
  const rows = tables.flatMap((table) => Object.entries(table));
  const stray = Object.keys(notes.routes).filter((key) => !rows.some(([known]) => known === key));
  if (stray.length > 0) throw new Error(`These notes are of no route: ${stray.join(', ')}`);
  const schemas = new Schemas();
  for (const [name, schema] of Object.entries(PROBLEM_SCHEMAS)) schemas.ref(name, () => schema);
  const outputs = new OutputSchemas(
    options.schema,
    schemas,
    rows.map(([, route]) => route.operation),
  );
  const problems = new Problems(notes.codes);
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const [key, route] of rows) {
    const row = readRow(key, route, notes);
    (paths[row.path] ??= {})[row.method.toLowerCase()] = operationOf(
      row,
      options,
      schemas,
      outputs,
      problems,
    );
  }
  for (const [key, operation] of Object.entries(notes.beside ?? {})) {
    const [method = '', path = ''] = key.split(' ');
    (paths[path] ??= {})[method.toLowerCase()] = operation;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: notes.title,
      version: options.version,
      description: notes.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server that this document came from' }],
    tags: notes.tags.map(({ name, description }) => ({ name, description })),
    paths,
    ...(notes.webhooks ? { webhooks: notes.webhooks } : {}),
    components: {
      schemas: schemas.withExamples([paths, problems.responses], notes.records),
      parameters: SHARED_PARAMETERS,
      responses: sorted(problems.responses),
      examples: sorted(problems.examples),
      headers: RESPONSE_HEADERS,
      securitySchemes: notes.securitySchemes,
    },
  };
}

function sorted(named: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface Row {
  readonly method: string;
  /** As OpenAPI writes it: `/download/{token}`. */
  readonly path: string;
  readonly route: Route;
  readonly notes: RouteNotes;
  readonly tag: string;
}

function readRow(key: string, route: Route, { routes, tags }: ApiNotes): Row {
  const notes = routes[key];
  if (!notes) throw new Error(`${key} has no notes`);
  const [method = '', pattern = ''] = key.split(' ');
  const tag = tags.find(({ prefixes }) => prefixes.some((prefix) => isUnder(pattern, prefix)));
  if (!tag) throw new Error(`${key} has no tag`);
  return { method, path: pattern.replaceAll(/:(\w+)/g, '{$1}'), route, notes, tag: tag.name };
}

function isUnder(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

function operationOf(
  row: Row,
  { schema, notes: api }: OpenapiOptions,
  schemas: Schemas,
  outputs: OutputSchemas,
  problems: Problems,
): JsonSchema {
  const { method, path, route, notes, tag } = row;
  const compiled = compileOperation(schema, route.operation, route.member);
  const definition = operationIn(route.operation);
  const fields = requestFields(schema, schemas, definition).filter(({ name }) => name !== route.gather);
  const told = schema.getRootType(definition.operation)?.getFields()[rootOf(definition).name.value];
  const description = [told?.description, notes.description].filter(Boolean).join('\n\n');
  const result = resultOf(row, definition, outputs, schemas, api);
  return {
    tags: [tag],
    operationId: compiled.name.replace(/^./, (first) => first.toLowerCase()),
    summary: notes.summary,
    ...(description === '' ? {} : { description }),
    ...request(row, fields),
    responses: problems.beside(
      answersOf(method, route, notes, result),
      problems.of(method, path, route, notes),
    ),
    security: notes.security ?? (route.access === 'apiKey' ? [{ [api.keyScheme]: [compiled.access] }] : []),
  };
}

function request(row: Row, fields: readonly RequestField[]): JsonSchema {
  const { method, path, route, notes } = row;
  const inPath = (name: string) => path.includes(`{${name}}`);
  const byQuery = method === 'GET' || notes.byQuery === true;
  const parameters = [
    ...fields
      .filter(({ name }) => byQuery || inPath(name))
      .map((field) => parameterOf(field, inPath(field.name) ? 'path' : 'query', route, notes)),
    ...Object.entries(notes.query ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      required: false,
      schema,
    })),
    ...headerParameters(method, route),
  ];
  const members = byQuery ? [] : fields.filter(({ name }) => !inPath(name));
  const hasBody = notes.bodySchema !== undefined || members.length > 0 || route.gather !== undefined;
  return {
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(hasBody && !byQuery ? { requestBody: bodyOf(row, members) } : {}),
  };
}

function bodyOf({ route, notes }: Row, members: readonly RequestField[]): JsonSchema {
  const required = members
    .filter(({ name, required }) => required || notes.required?.includes(name))
    .map(({ name }) => name);
  const schema = notes.bodySchema ?? {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(members.map((field) => [field.name, memberOf(field, notes)])),
    additionalProperties: othersOf(route),
    ...(route.lenient || route.gather !== undefined ? {} : { description: READ_BACK }),
  };
  const media = { schema, ...(notes.body ? { example: notes.body } : {}) };
  const isForm = route.inbound !== undefined;
  return {
    required: required.length > 0,
    content: {
      'application/json': media,
      ...(isForm ? { 'application/x-www-form-urlencoded': media } : {}),
    },
  };
}

const READ_BACK = `Members that are not listed are refused, but for ${[...READ_ONLY_MEMBERS]
  .map((name) => `\`${name}\``)
  .join(', ')}, which are ignored: what was read may be sent back.`;

function memberOf({ name, schema, description }: RequestField, notes: RouteNotes): JsonSchema {
  const more = { ...notes.fields?.[name], ...(description === undefined ? {} : { description }) };
  return { ...schema, ...more };
}

function othersOf(route: Route): unknown {
  if (route.gather === 'custom') return { description: 'The value of a custom field that is defined.' };
  if (route.gather !== undefined) return { description: 'What a whitelist of the type `field` reads.' };
  return route.lenient === true;
}

/** The schema and an example of what the operation's result is sent as. */
function resultOf(
  { route, notes }: Row,
  definition: OperationDefinitionNode,
  outputs: OutputSchemas,
  schemas: Schemas,
  { records }: ApiNotes,
): Result {
  const document: DocumentNode = route.operation;
  const root = rootOf(definition);
  const path = route.response === 'list' ? ['nodes'] : route.member === undefined ? [] : [route.member];
  let type = outputs.schema.getRootType(definition.operation)?.getFields()[root.name.value]?.type;
  let node: FieldNode = root;
  for (const member of path) {
    const owner = outputs.objectOf(type);
    const found = node.selectionSet && fieldsOf(node.selectionSet, document, owner.name);
    const inner = found?.find(({ name }) => name === member)?.node;
    if (!inner) throw new Error(`${root.name.value} has no ${member}`);
    type = owner.getFields()[inner.name.value]?.type;
    node = inner;
  }
  if (!type) throw new Error(`There is no field ${root.name.value}`);
  const flatten = outputs.isJsonMember(type, node, document, route.flatten) ? route.flatten : undefined;
  let schema = outputs.of(type, node, document, flatten);
  if (route.isNew !== undefined) {
    schema = without(schemas.resolve(schema), route.isNew);
    // What is put beside the others is all that there is.
    const inner =
      route.flatten === undefined
        ? undefined
        : (schema['properties'] as Record<string, JsonSchema>)[route.flatten];
    schema = inner ?? schema;
  }
  if (notes.optional) schema = schemas.makeOptional(schema, notes.optional);
  return { schema, example: exampleOf(schema, schemas, records) };
}

function operationIn(document: DocumentNode): OperationDefinitionNode {
  const definition = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (!definition) throw new Error('An operation document must hold one named operation');
  return definition;
}

function rootOf(definition: OperationDefinitionNode): FieldNode {
  const [field] = definition.selectionSet.selections;
  if (field?.kind !== Kind.FIELD) throw new Error('An operation must select one root field');
  return field;
}
