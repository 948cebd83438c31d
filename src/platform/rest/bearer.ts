import { failure } from '../errors.js';

/** The token of an `Authorization` header, or undefined without one. Throws `API_KEY_INVALID` for any other scheme. */
export function bearerOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [, token] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
  if (token !== undefined) return token;
  throw failure('API_KEY_INVALID', 'The header Authorization must be "Bearer <API key>"', {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_request"' },
  });
}
