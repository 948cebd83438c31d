import type { IncomingMessage, ServerResponse } from 'node:http';
import { PlatformError } from './platform-error.js';

/** An avatar in a data URI is the longest there is. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/** A request's body; `{}` when there is none. Throws the platform's 50109 for what is no JSON. */
export async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req) {
    bytes += (chunk as Buffer).length;
    if (bytes > BODY_BYTES_MAX) throw new PlatformError(413, 40_005, 'Request entity too large');
    chunks.push(chunk as Buffer);
  }
  if (chunks.length === 0) return {};
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    throw new PlatformError(400, 50_109, 'The request body contains invalid JSON.');
  }
}

/** Answers with JSON, or with nothing for undefined. */
export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (body === undefined) {
    res.writeHead(status, headers).end();
    return;
  }
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
