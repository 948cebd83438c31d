import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { DomainError } from '../errors.js';
import { COMMON_HEADERS } from './common-headers.js';
import { PROBLEM_TYPE, problemBody } from './problem.js';

/** A problem document as a whole response, for where there is no express. The connection ends with it. */
export function rawAnswer(
  error: DomainError,
  path?: string,
  requestId: string = randomUUID(),
): { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const body = JSON.stringify(problemBody(error, path, requestId));
  const headers = {
    'X-Request-Id': requestId,
    ...COMMON_HEADERS,
    ...error.headers,
    'Content-Type': PROBLEM_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  return { status: error.status, headers, body };
}

/** Answers on the socket itself, where Node has no response: to what it could not read, and to a handshake. */
export function refuseOn(socket: Duplex, error: DomainError, path?: string, requestId?: string): void {
  const { status, headers, body } = rawAnswer(error, path, requestId);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => undefined);
  // Whoever doesn't hang up now is hung up on.
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${error.title}\r\n${lines.join('')}\r\n${body}`);
}
