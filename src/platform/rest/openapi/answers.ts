import type { Route } from '../routes.js';
import type { AnswerNotes, JsonSchema, RouteNotes } from './notes.js';
import { headersOf } from './problems.js';

/** What a row's operation comes to, and an example of it. */
export interface Result {
  readonly schema: JsonSchema;
  readonly example: unknown;
}

/** Where requests are limited, which they are unless `LIMITS.ENABLED` is off. */
const LIMITS = ['RateLimit-Policy', 'RateLimit'];

/** The responses of a row when all goes well, by status. */
export function answersOf(
  method: string,
  route: Route,
  notes: RouteNotes,
  { schema, example }: Result,
): Record<string, JsonSchema> {
  const own = [...LIMITS, ...(notes.headers ?? [])];
  if (notes.answers) return told(notes.answers(schema, example), own);
  const json = { content: { 'application/json': { schema, example } } };
  const replayed = method === 'POST' ? ['Idempotency-Replayed'] : [];
  const headers = headersOf(...replayed, ...own);
  if (route.isNew !== undefined) {
    return {
      200: { description: 'It was there, and was changed', headers, ...json },
      201: { description: 'A new one', headers, ...json },
    };
  }
  switch (route.response) {
    case 'empty':
      return { 204: { description: 'Done', headers } };
    case 'list':
      return {
        200: {
          description: 'All of them, or the page that was asked for',
          headers: headersOf(...LIMITS, 'Link'),
          ...json,
        },
      };
    case 'content':
      return contentAnswers();
    case 'events':
      return { 200: eventsAnswer(schema, example) };
    default:
      return {
        [route.status ?? 200]: { description: route.status === 201 ? 'Created' : 'Done', headers, ...json },
      };
  }
}

function told(
  answers: Readonly<Record<number, AnswerNotes>>,
  headers: readonly string[],
): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [
      status,
      { ...answer, headers: headersOf(...headers) },
    ]),
  );
}

/** As `sendContent` answers. */
function contentAnswers(): Record<string, JsonSchema> {
  const bytes = {
    'application/octet-stream': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } },
  };
  const common = [...LIMITS, 'ETag', 'Accept-Ranges', 'Content-Disposition', 'Content-Length'];
  return {
    200: { description: 'The file', headers: headersOf(...common), content: bytes },
    206: {
      description: 'The range that was asked for',
      headers: headersOf(...common, 'Content-Range'),
      content: bytes,
    },
    304: { description: 'As `If-None-Match` has it', headers: headersOf(...LIMITS, 'ETag', 'Accept-Ranges') },
  };
}

/** As `sendEvents` answers. */
function eventsAnswer(schema: JsonSchema, example: unknown): JsonSchema {
  const { id } = example as { id: number };
  return {
    description:
      'Server-sent events, each with its `id`; the `data` of each is the record in `x-event-data`. An event named `error` has a problem, and ends them.',
    headers: headersOf(...LIMITS),
    content: {
      'text/event-stream': {
        schema: { type: 'string', 'x-event-data': schema },
        example: `id: ${id}\ndata: ${JSON.stringify(example)}\n\n`,
      },
    },
  };
}

/** The same object without a member. */
export function without(schema: JsonSchema, member: string): JsonSchema {
  const { properties, required } = schema as { properties: object; required: string[] };
  return {
    ...schema,
    required: required.filter((name) => name !== member),
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => name !== member)),
  };
}
