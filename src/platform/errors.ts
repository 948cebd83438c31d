/** What may be wrong with one field of a request. `pointer` is an RFC 6901 JSON pointer into what was sent. */
export interface FieldProblem {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/**
 * Error codes that are not tied to one resource: HTTP status and title (RFC 9457). A resource's own codes
 * (`PRODUCT_NOT_FOUND`) are made by {@link NotFound} and its siblings.
 */
export const ERRORS = {
  MALFORMED_REQUEST: { status: 400, title: 'Malformed request' },
  MALFORMED_JSON: { status: 400, title: 'Malformed JSON' },
  BAD_PARAMETER: { status: 400, title: 'Bad parameter' },
  API_KEY_MISSING: { status: 401, title: 'API key missing' },
  API_KEY_INVALID: { status: 401, title: 'API key invalid' },
  API_KEY_EXPIRED: { status: 401, title: 'API key expired' },
  INSUFFICIENT_SCOPE: { status: 403, title: 'Insufficient scope' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  ALREADY_EXISTS: { status: 409, title: 'Already exists' },
  IN_USE: { status: 409, title: 'In use' },
  LIMIT_REACHED: { status: 409, title: 'Limit reached' },
  IDEMPOTENCY_KEY_IN_PROGRESS: { status: 409, title: 'Request in progress' },
  REQUEST_TIMEOUT: { status: 408, title: 'Request timeout' },
  BODY_TOO_LARGE: { status: 413, title: 'Body too large' },
  URL_TOO_LONG: { status: 414, title: 'URL too long' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported media type' },
  RANGE_NOT_SATISFIABLE: { status: 416, title: 'Range not satisfiable' },
  EXPECTATION_FAILED: { status: 417, title: 'Expectation failed' },
  INVALID_FIELD: { status: 422, title: 'Invalid field' },
  UNKNOWN_FIELD: { status: 422, title: 'Unknown field' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'Idempotency key reused' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  HEADERS_TOO_LARGE: { status: 431, title: 'Headers too large' },
  INTERNAL: { status: 500, title: 'Internal error' },
  UNAVAILABLE: { status: 503, title: 'Unavailable' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

interface DomainErrorOptions {
  readonly problems?: readonly FieldProblem[];
  /** Extra response headers, e.g. `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An expected error: its message may be shown to the caller. Everything else is masked as `INTERNAL`. */
export class DomainError extends Error {
  readonly problems: readonly FieldProblem[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: string,
    readonly status: number,
    readonly title: string,
    message: string,
    options: DomainErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'DomainError';
    this.problems = options.problems ?? [];
    this.headers = options.headers ?? {};
  }
}

/** A {@link DomainError} with one of the common codes. */
export function failure(code: ErrorCode, message: string, options?: DomainErrorOptions): DomainError {
  const { status, title } = ERRORS[code];
  return new DomainError(code, status, title, message, options);
}

/** 404 `<RESOURCE>_NOT_FOUND`. */
export class NotFound extends DomainError {
  constructor(resource: string, name: string) {
    const code = `${resource.toUpperCase().replaceAll(' ', '_')}_NOT_FOUND`;
    super(code, 404, 'Not found', `There is no ${resource} ${show(name)}`);
  }
}

/** 409 `ALREADY_EXISTS`. */
export class AlreadyExists extends DomainError {
  constructor(resource: string, name: string) {
    const { status, title } = ERRORS.ALREADY_EXISTS;
    super(
      'ALREADY_EXISTS',
      status,
      title,
      `${/^[aeio]/.test(resource) ? 'An' : 'A'} ${resource} ${show(name)} exists already`,
    );
  }
}

/**
 * 422 `INVALID_FIELD`. `field` names the input field (camelCase; the REST facade turns it into the documented name),
 * `allowed` goes on from there: `new InvalidField('seats', 'must be -1 or more than 0; got 0')`.
 */
export class InvalidField extends DomainError {
  constructor(field: string, allowed: string) {
    const { status, title } = ERRORS.INVALID_FIELD;
    const detail = `${field} ${allowed}`;
    super('INVALID_FIELD', status, title, detail, {
      problems: [{ pointer: pointer(field), code: 'INVALID_FIELD', detail }],
    });
  }
}

/** 422 with one entry for each bad field. The code is the first problem's, so `UNKNOWN_FIELD` or `INVALID_FIELD`. */
export function invalidFields(problems: readonly [FieldProblem, ...FieldProblem[]]): DomainError {
  const code = problems[0].code === 'UNKNOWN_FIELD' ? 'UNKNOWN_FIELD' : 'INVALID_FIELD';
  return failure(code, problems.map((problem) => problem.detail).join('; '), { problems });
}

/** RFC 6901: `pointer('a', 0, 'b/c')` is `/a/0/b~1c`. */
export function pointer(...path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** A value as an error message shows it: JSON, cut to a readable length. */
export function show(value: unknown): string {
  const text = jsonOf(value);
  if (text === undefined) return String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return 'a value that is nested too deeply';
  }
}
