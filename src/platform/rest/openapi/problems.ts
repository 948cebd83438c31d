import type { Route } from '../routes.js';
import { codeNotes, codesOf } from './error-codes.js';
import type { CodeNotes, JsonSchema, RouteNotes } from './notes.js';

const PROBLEM = 'application/problem+json';

/** The schema of every error: RFC 9457, as `problemBody` makes it. */
export const PROBLEM_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Problem: {
    type: 'object',
    description: 'An error, by RFC 9457. Decide by `code`; `detail` is for people and may change.',
    required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
    properties: {
      type: { type: 'string', format: 'uri', description: '`urn:licensing:error:` and the code.' },
      title: { type: 'string', description: 'The same for every error of its code.' },
      status: { type: 'integer', description: 'The HTTP status.' },
      detail: { type: 'string', description: 'What is wrong here, and what is allowed.' },
      instance: { type: 'string', description: 'The path that was asked for.' },
      code: { type: 'string', description: 'What to decide by.' },
      request_id: { type: 'string', description: 'As in `X-Request-Id`; the log has it.' },
      errors: {
        type: 'array',
        items: { $ref: '#/components/schemas/FieldProblem' },
        description: 'Each field that is wrong.',
      },
    },
  },
  FieldProblem: {
    type: 'object',
    required: ['pointer', 'code', 'detail'],
    properties: {
      pointer: { type: 'string', description: 'JSON pointer (RFC 6901) into what was sent.' },
      code: { type: 'string' },
      detail: { type: 'string' },
    },
  },
};

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request can not be understood',
  401: 'No credential, or not a good one',
  403: 'Not allowed',
  404: 'There is no such thing',
  409: 'It conflicts with what is there',
  410: 'It is over',
  413: 'The body is too large',
  415: 'The body is of a type that is not read here',
  416: 'None of the bytes is in the range',
  422: 'A field is wrong',
  424: 'A failure on our side, told as a client error',
  429: 'Too many requests',
  500: 'Our fault',
  502: 'The platform refuses',
  503: 'Away for a while',
  504: 'The platform did not answer in time',
};

/** Response headers that errors of a status have beside those of every response. */
const HEADERS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  416: ['Content-Range', 'ETag'],
  429: ['Retry-After', 'RateLimit-Policy', 'RateLimit'],
  503: ['Retry-After'],
};

/** Responses of so few codes are shared by the rows that have just them; others are each a row's own. */
const SHARED_CODES_MAX = 3;

/** The error responses of a document: what rows have in common stands there once. */
export class Problems {
  /** By their codes. */
  readonly responses: Record<string, JsonSchema> = {};
  /** By code. */
  readonly examples: Record<string, JsonSchema> = {};

  constructor(readonly codes: Readonly<Record<string, CodeNotes>>) {}

  /** Those of a row, by status. */
  of(method: string, path: string, route: Route, notes: RouteNotes): Record<string, JsonSchema> {
    const all = codesOf(method, route, notes).map((code) => {
      const told = codeNotes(code, this.codes);
      return route.inbound?.onlyClientErrors && told.status >= 500 ? { ...told, status: 424 } : told;
    });
    const byStatus = [...Map.groupBy(all, ({ status }) => status)].sort(([a], [b]) => a - b);
    return Object.fromEntries(
      byStatus.map(([status, codes]) => [String(status), this.#response(status, path, codes)]),
    );
  }

  /** Answers with errors beside them. Where both have a status, the content type tells them apart. */
  beside(
    answers: Readonly<Record<string, JsonSchema>>,
    errors: Readonly<Record<string, JsonSchema>>,
  ): Record<string, JsonSchema> {
    const shared = Object.entries(answers).flatMap(([status, answer]) => {
      const error = errors[status];
      return error ? [[status, both(answer, this.#resolved(error))] as const] : [];
    });
    return { ...answers, ...errors, ...Object.fromEntries(shared) };
  }

  #resolved(response: JsonSchema): JsonSchema {
    const name = (response['$ref'] as string | undefined)?.split('/').at(-1);
    return (name === undefined ? undefined : this.responses[name]) ?? response;
  }

  #response(status: number, path: string, codes: readonly Told[]): JsonSchema {
    const response = {
      description: `${DESCRIPTIONS[status] ?? 'Refused'}: ${codes.map(({ code }) => `\`${code}\``).join(', ')}`,
      headers: headersOf(...(HEADERS[status] ?? [])),
      content: { [PROBLEM]: this.#content(path, codes) },
    };
    if (codes.length > SHARED_CODES_MAX) return response;
    const name = [status, ...codes.map(({ code }) => code)].join('.');
    this.responses[name] = response;
    return { $ref: `#/components/responses/${name}` };
  }

  #content(path: string, codes: readonly Told[]): JsonSchema {
    return {
      schema: {
        allOf: [{ $ref: '#/components/schemas/Problem' }],
        properties: { code: { enum: codes.map(({ code }) => code) } },
      },
      examples: Object.fromEntries(codes.map((told) => [told.code, this.#example(path, told)])),
    };
  }

  #example(path: string, { code, status, title, detail }: Told): JsonSchema {
    // A code that has two statuses has two examples.
    const name = this.codes[code] && this.codes[code].status !== status ? `${status}.${code}` : code;
    this.examples[name] ??= {
      summary: title,
      value: {
        type: `urn:licensing:error:${code}`,
        ...{ title, status, detail, instance: path, code },
        request_id: 'c7b5a4de-6a6c-4a0e-9c3e-6a1f7f0a2b11',
      },
    };
    return { $ref: `#/components/examples/${name}` };
  }
}

function both(answer: JsonSchema, error: JsonSchema): JsonSchema {
  const merged = (member: string) => ({ ...(answer[member] as object), ...(error[member] as object) });
  return {
    description: `${String(answer['description'])}. ${String(error['description'])}`,
    headers: merged('headers'),
    content: merged('content'),
  };
}

type Told = CodeNotes & { readonly code: string };

/** References to the headers of a response: those that every one has, and these. */
export function headersOf(...names: readonly string[]): JsonSchema {
  const all = ['X-Request-Id', 'API-Version', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const text = (description: string, example: string): JsonSchema => ({
  description,
  schema: { type: 'string' },
  example,
});

/** Every header that responses carry, by name. */
export const RESPONSE_HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': text("Yours if it had at most 128 safe characters, else the server's.", 'order-4711'),
  'API-Version': text('Changes only add, and this stays.', '1'),
  'WWW-Authenticate': text('What to authenticate with.', 'Bearer'),
  'Retry-After': text('Seconds to wait before trying again.', '12'),
  'RateLimit-Policy': text('The limits that hold here (IETF draft).', '"admin";q=1200;w=60'),
  RateLimit: text('What is left of them (IETF draft).', '"admin";r=1190;t=42'),
  Link: text(
    'Where the next page is; absent on the last one.',
    '</licenses?limit=100&cursor=MTAw>; rel="next"',
  ),
  'Idempotency-Replayed': text('`true`: this is the first answer, once more.', 'true'),
  'X-Signature': text(
    'For requests with a `nonce`: `t=<unix seconds>,kid=<key id>,v1=<base64 Ed25519 of "t." + body>`.',
    't=1768478400,kid=k1,v1=bm90IGEgcmVhbCBzaWduYXR1cmU=',
  ),
  ETag: text('Another one whenever a byte differs.', '"9f86d081884c7d65"'),
  'Accept-Ranges': text('One range of bytes may be asked for.', 'bytes'),
  'Content-Range': text('Which bytes these are, of how many.', 'bytes 1000-1023/1024'),
  'Content-Disposition': text('The name to save it by.', 'attachment; filename="plot-guard.jar"'),
  'Content-Length': text('How many bytes follow.', '1024'),
};
