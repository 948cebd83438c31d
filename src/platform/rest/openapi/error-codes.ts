import { ERRORS } from '../../errors.js';
import type { ErrorCode } from '../../errors.js';
import type { Route } from '../routes.js';
import type { CodeNotes, RouteNotes } from './notes.js';

/** What callers read with the codes that any endpoint may answer. */
const DETAILS: Readonly<Record<string, string>> = {
  MALFORMED_JSON: "The body is not valid JSON: Expected ',' or '}' after property value",
  BAD_PARAMETER: 'limit must be a whole number; got "many"',
  API_KEY_MISSING: 'Send the API key in the header "Authorization: Bearer <API key>"',
  API_KEY_INVALID: 'The API key is not known',
  API_KEY_EXPIRED: 'The API key has expired',
  INSUFFICIENT_SCOPE: "This needs the scope 'licensing:write'; the API key has: licensing:read",
  NOT_FOUND: 'There is nothing at /nowhere',
  METHOD_NOT_ALLOWED: 'PUT is not allowed here; allowed: GET, POST, HEAD, OPTIONS',
  ALREADY_EXISTS: 'That name, key or identity is taken',
  IN_USE: 'Something refers to it',
  LIMIT_REACHED: 'No more of these may exist',
  IDEMPOTENCY_KEY_IN_PROGRESS: 'A request with this Idempotency-Key is still in progress',
  BODY_TOO_LARGE: 'The body may have at most 65536 bytes',
  UNSUPPORTED_MEDIA_TYPE: 'The body must be JSON, sent with "Content-Type: application/json"; got text/plain',
  RANGE_NOT_SATISFIABLE: 'There are 1024 bytes; none of them is in the range',
  INVALID_FIELD: 'seats must be -1 or more than 0; got 0',
  UNKNOWN_FIELD: 'colour is not a known field',
  IDEMPOTENCY_KEY_REUSED: 'This Idempotency-Key was used for another request; take a new one',
  RATE_LIMITED: 'Too many requests; try again in 12 seconds',
  INTERNAL: 'Something went wrong on our side; our log has it under this request id',
  UNAVAILABLE: 'The server is shutting down; try again shortly',
};

/**
 * A code with its status, title and an example of its detail; `409 CODE` has that status here. Throws for one that
 * nobody told of.
 */
export function codeNotes(
  written: string,
  own: Readonly<Record<string, CodeNotes>>,
): CodeNotes & { code: string } {
  const [, status, code = written] = /^(\d{3}) (.+)$/.exec(written) ?? [];
  const notes = notesOf(code, own);
  return { code, ...notes, ...(status === undefined ? {} : { status: Number(status) }) };
}

function notesOf(code: string, own: Readonly<Record<string, CodeNotes>>): CodeNotes {
  const told = own[code];
  if (told) return told;
  const detail = DETAILS[code];
  if (code in ERRORS && detail !== undefined) return { ...ERRORS[code as ErrorCode], detail };
  const [, resource] = /^(.+)_NOT_FOUND$/.exec(code) ?? [];
  if (resource === undefined) throw new Error(`Nobody says what ${code} means`);
  const name = resource.toLowerCase().replaceAll('_', ' ');
  return { status: 404, title: 'Not found', detail: `There is no ${name} "unknown"` };
}

/** What a row can be refused for: what all rows of its kind are refused for, and its own. */
export function codesOf(method: string, route: Route, notes: RouteNotes): string[] {
  const { access, lenient, inbound, response } = route;
  const isSecured = access === 'apiKey';
  const takesKey = inbound === undefined;
  const isReplayed =
    method === 'POST' && (response === undefined || response === 'empty') && inbound === undefined;
  return [
    ...['MALFORMED_JSON', 'BAD_PARAMETER'],
    ...(isSecured ? ['API_KEY_MISSING'] : []),
    ...(takesKey ? ['API_KEY_INVALID', 'API_KEY_EXPIRED'] : []),
    ...(isSecured ? ['INSUFFICIENT_SCOPE'] : []),
    ...(isReplayed ? ['IDEMPOTENCY_KEY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'] : []),
    ...(method === 'GET' ? [] : ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'INVALID_FIELD']),
    ...(method === 'GET' || lenient ? [] : ['UNKNOWN_FIELD']),
    ...(response === 'content' ? ['RANGE_NOT_SATISFIABLE'] : []),
    'RATE_LIMITED',
    ...['INTERNAL', 'UNAVAILABLE'],
    ...(notes.codes ?? []),
  ];
}
