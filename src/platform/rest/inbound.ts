import express from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { DomainError, failure } from '../errors.js';
import { bodyError } from './body.js';
import type { Inbound } from './routes.js';

/**
 * Reads a JSON body or a form into what an inbound row's operation takes: `payload`, its members; `raw`, its exact text;
 * and the headers that the row names. No body at all is `{}`.
 */
export function inboundBody({ bytesMax, headers }: Inbound): (req: Request, res: Response) => Promise<void> {
  const read: RequestHandler = express.raw({ limit: bytesMax, type: () => true });
  return async (req, res) => {
    const given = req.get('content-type');
    const type = req.is(['json', '+json', 'urlencoded']);
    if (given !== undefined && (type === false || !isUtf8(given))) throw unreadable(given);
    await new Promise<void>((resolve, reject) => {
      read(req, res, (error?: unknown) => {
        if (error === undefined) resolve();
        else reject(bodyError(error, bytesMax));
      });
    });
    const raw = Buffer.isBuffer(req.body) ? req.body.toString('utf8') : '';
    if (given === undefined && raw !== '') throw unreadable('none');
    const named = Object.entries(headers).flatMap(([variable, header]) => {
      const value = req.get(header);
      return value === undefined ? [] : [[variable, value] as const];
    });
    const payload = type === 'urlencoded' ? formOf(raw) : jsonOf(raw);
    req.body = { ...Object.fromEntries(named), payload, raw };
  };
}

function unreadable(contentType: string): DomainError {
  return failure(
    'UNSUPPORTED_MEDIA_TYPE',
    `The body must be application/json or application/x-www-form-urlencoded, in UTF-8; got ${contentType}`,
  );
}

function isUtf8(contentType: string): boolean {
  const [, charset = 'utf-8'] = /;\s*charset="?([^\s;"]+)/i.exec(contentType) ?? [];
  return /^(utf-?8|us-ascii)$/i.test(charset);
}

/** Of members that stand twice, the last counts, as in JSON. */
function formOf(text: string): unknown {
  return Object.fromEntries(new URLSearchParams(text));
}

function jsonOf(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words quote the body, which may hold the sender's secret.
    throw failure('MALFORMED_JSON', 'The body is not valid JSON');
  }
}

/** For who may take any answer that isn't a client error for a good one: the same error, as 424 Failed Dependency. */
export function asClientError(error: DomainError): DomainError {
  if (error.status < 500) return error;
  const { code, title, message, problems, headers } = error;
  return new DomainError(code, 424, title, message, { problems, headers, cause: error });
}
