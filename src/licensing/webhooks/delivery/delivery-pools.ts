import type { Pool } from 'undici';
import { guardedConnector } from '../../../platform/net/guarded-connector.js';
import type { ConnectorOptions } from '../../../platform/net/guarded-connector.js';

export interface PoolsOptions extends ConnectorOptions {
  /** Connections to one target. */
  readonly connections: number;
}

/** Opens the connections to one target; `origin` is the beginning of its URL. */
export type OpenPool = (origin: string) => Pool;

const KEEP_ALIVE_MS = 15_000;

/** What opens pools whose connections are kept alive, and lead only where the guard lets them. */
export async function guardedPools({ connections, ...options }: PoolsOptions): Promise<OpenPool> {
  const { Pool } = await import('undici');
  const connect = await guardedConnector(options);
  // The one timer of an attempt covers connecting, headers and body.
  const timeouts = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS };
  return (origin) => new Pool(origin, { connections, pipelining: 1, connect, ...timeouts });
}
