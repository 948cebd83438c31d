import type { Route } from '../routes.js';
import type { RequestField } from './input-schema.js';
import type { JsonSchema, RouteNotes } from './notes.js';

const header = (name: string, description: string, schema: JsonSchema, example?: string): JsonSchema => ({
  ...{ name, in: 'header', required: false, description, schema },
  ...(example === undefined ? {} : { example }),
});

const query = (name: string, description: string, schema: JsonSchema): JsonSchema => ({
  ...{ name, in: 'query', required: false, description, schema },
});

/** Parameters that many endpoints have, by the name that they are referred to. */
export const SHARED_PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  limit: query('limit', 'How many records a page has. Without `limit` and `cursor` the list is complete.', {
    type: 'integer',
    minimum: 1,
    maximum: 500,
  }),
  cursor: query('cursor', 'Where the page begins: as the `Link` of the page before says.', {
    type: 'string',
  }),
  'X-Request-Id': header(
    'X-Request-Id',
    'Kept if it has at most 128 safe characters, and found again in the log.',
    { type: 'string', pattern: '^[\\w.:/+=@-]{1,128}$' },
  ),
  'Idempotency-Key': header(
    'Idempotency-Key',
    'The answer to a repeat with the same key is the first answer, for 24 hours.',
    { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  ),
  Range: header(
    'Range',
    'One range of bytes, to resume with; answered 206.',
    { type: 'string' },
    'bytes=1000-',
  ),
  'If-Range': header('If-Range', 'An `ETag`: the range is ignored when the file is another one by now.', {
    type: 'string',
  }),
  'If-None-Match': header(
    'If-None-Match',
    'An `ETag`: answered 304 when the file is that one still. Costs no use.',
    { type: 'string' },
  ),
  'Last-Event-ID': header('Last-Event-ID', 'The last id that was seen: what follows it comes first.', {
    type: 'integer',
    minimum: 0,
  }),
};

const shared = (name: string): JsonSchema => ({ $ref: `#/components/parameters/${name}` });

/** A field of a request in its path or query. */
export function parameterOf(
  { name, textSchema, description, required }: RequestField,
  place: 'path' | 'query',
  route: Route,
  notes: RouteNotes,
): JsonSchema {
  const example = notes.parameters?.[name];
  if (route.response === 'list' && (name === 'limit' || name === 'cursor')) return shared(name);
  return {
    name,
    in: place,
    required: place === 'path' || required || (notes.required?.includes(name) ?? false),
    ...(description === undefined ? {} : { description }),
    schema: { ...textSchema, ...notes.fields?.[name] },
    ...(example === undefined ? {} : { example }),
  };
}

/** The headers that an endpoint reads. */
export function headerParameters(method: string, route: Route): JsonSchema[] {
  const isReplayed = method === 'POST' && route.inbound === undefined && typeof route.response !== 'function';
  const names = [
    'X-Request-Id',
    ...(isReplayed ? ['Idempotency-Key'] : []),
    ...(route.response === 'content' ? ['Range', 'If-Range', 'If-None-Match'] : []),
    ...(route.response === 'events' ? ['Last-Event-ID'] : []),
  ];
  return names.map(shared);
}
