/** A refusal in the platform's own words: `{message, code, errors?}` with an HTTP status. */
export class PlatformError extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly errors?: FieldErrors,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }

  get body(): Record<string, unknown> {
    const { message, code, errors } = this;
    return { message, code, ...(errors ? { errors } : {}) };
  }
}

/** `{embeds: {0: {title: {_errors: [{code, message}]}}}}` */
export interface FieldErrors {
  [part: string]: FieldErrors | FieldError[];
}

export interface FieldError {
  readonly code: string;
  readonly message: string;
}

/** Collects what is wrong with a body, field by field, and throws it as the platform's 50035. */
export class FormErrors {
  readonly #tree: FieldErrors = {};
  #isEmpty = true;

  /** `add(['embeds', 0, 'title'], 'BASE_TYPE_MAX_LENGTH', 'Must be 256 or fewer in length.')` */
  add(path: readonly (string | number)[], code: string, message: string): void {
    let at = this.#tree;
    for (const part of path) at = (at[part] ??= {}) as FieldErrors;
    ((at['_errors'] ??= []) as FieldError[]).push({ code, message });
    this.#isEmpty = false;
  }

  throwIfAny(): void {
    if (!this.#isEmpty) throw new PlatformError(400, 50_035, 'Invalid Form Body', this.#tree);
  }
}

export const unknownChannel = () => new PlatformError(404, 10_003, 'Unknown Channel');
export const unknownMember = () => new PlatformError(404, 10_007, 'Unknown Member');
export const unknownMessage = () => new PlatformError(404, 10_008, 'Unknown Message');
export const unknownRole = () => new PlatformError(404, 10_011, 'Unknown Role');
export const unknownInteraction = () => new PlatformError(404, 10_062, 'Unknown interaction');
export const missingPermissions = () => new PlatformError(403, 50_013, 'Missing Permissions');
export const emptyMessage = () => new PlatformError(400, 50_006, 'Cannot send an empty message');
export const unauthorized = () => new PlatformError(401, 0, '401: Unauthorized');
export const notFound = () => new PlatformError(404, 0, '404: Not Found');
