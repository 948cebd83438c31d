import express from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { DomainError, failure } from '../errors.js';

export const JSON_BODY_BYTES_MAX = 64 * 1024;
/** More than any value may have; whoever walks through a body later can do so by recursion. */
const JSON_LEVELS_MAX = 100;

/** Reads a JSON body of any method, GET included, into `req.body`; `undefined` when there is none. */
export function jsonBody(bytesMax: number): (req: Request, res: Response) => Promise<void> {
  const parse: RequestHandler = express.json({ limit: bytesMax, strict: false, type: () => true });
  return async (req, res) => {
    if (!hasBody(req)) return;
    if (!req.is(['json', '+json'])) {
      throw failure(
        'UNSUPPORTED_MEDIA_TYPE',
        `The body must be JSON, sent with "Content-Type: application/json"; got ${req.get('content-type') ?? 'none'}`,
      );
    }
    await new Promise<void>((resolve, reject) => {
      parse(req, res, (error?: unknown) => {
        if (error === undefined) resolve();
        else reject(bodyError(error, bytesMax));
      });
    });
    assertShallow(req.body);
  };
}

/** The value of a body that was read already. Throws as {@link jsonBody} does. */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch (error) {
    throw malformed(error as Error);
  }
  assertShallow(value);
  return value;
}

const BYTE_ORDER_MARK = '\ufeff';

function assertShallow(value: unknown): void {
  if (!isDeeper(value, JSON_LEVELS_MAX)) return;
  throw failure('MALFORMED_JSON', `The body is nested more than ${JSON_LEVELS_MAX} levels deep`);
}

function malformed(error: Error): DomainError {
  return failure('MALFORMED_JSON', `The body is not valid JSON: ${error.message}`, { cause: error });
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

/** What body-parser refuses, in our terms (its `type` is documented, its messages aren't shown). */
export function bodyError(error: unknown, bytesMax: number): DomainError {
  if (error instanceof DomainError) return error;
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return failure('BODY_TOO_LARGE', `The body may have at most ${bytesMax} bytes`, { cause: error });
    case 'entity.parse.failed':
      return malformed(error as Error);
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return failure('UNSUPPORTED_MEDIA_TYPE', 'The body must be UTF-8 JSON, plain or gzip', {
        cause: error,
      });
    default:
      return failure('MALFORMED_JSON', 'The body could not be read', { cause: error });
  }
}
