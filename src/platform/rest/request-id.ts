import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const SAFE = /^[\w.:/+=@-]{1,128}$/;

/** The incoming `X-Request-Id` if it is ≤128 safe characters, so that a caller can follow its request; else a new one. */
export function requestIdOf(req: IncomingMessage): string {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && SAFE.test(given) ? given : randomUUID();
}
