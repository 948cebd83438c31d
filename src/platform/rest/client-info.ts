import type { IncomingMessage } from 'node:http';
import proxyAddress from 'proxy-addr';
import type { ClientInfo } from '../context.js';

const AGENT_LENGTH_MAX = 512;

/**
 * Who is at the other end of a request: of its socket, or beyond that when there is a proxy to be trusted. As express'
 * `ip`, for requests that don't pass it.
 */
export function clientAddress(trustedProxies: readonly string[]): (req: IncomingMessage) => string {
  if (trustedProxies.length === 0) return (req) => req.socket.remoteAddress ?? '';
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  // Without an address the socket is gone already, and nobody hears the answer.
  return (req) => (req.socket.remoteAddress === undefined ? '' : proxyAddress(req, isTrusted));
}

/** What a request tells of its client. */
export function clientOf(
  req: IncomingMessage & { readonly ip?: string | undefined },
  ip = req.ip ?? req.socket.remoteAddress ?? '',
): ClientInfo {
  const { headers } = req;
  return {
    ip,
    agent: (headers['user-agent'] ?? '').slice(0, AGENT_LENGTH_MAX),
    header: (name) => {
      const value = headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(', ') : value;
    },
  };
}
