import type { IncomingMessage } from 'node:http';
import type { ClientInfo } from '../context.js';

const AGENT_LENGTH_MAX = 512;

/** Who sends a request: behind a trusted proxy its client (express' `ip`), otherwise whoever is at the socket's end. */
export function clientOf(req: IncomingMessage & { readonly ip?: string | undefined }): ClientInfo {
  const header = (name: string) => {
    const value = req.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  return {
    ip: req.ip ?? req.socket.remoteAddress ?? '',
    agent: (header('user-agent') ?? '').slice(0, AGENT_LENGTH_MAX),
    header,
  };
}
