import type { ConnectionLimits } from './connection.js';

export interface ClientLimits extends ConnectionLimits {
  /** How long the library may try to reconnect before the watchdog takes a new client. */
  readonly reconnectMs: number;
  /** The wait between two attempts: it doubles from the first to the longest. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

export const CLIENT_LIMITS: ClientLimits = {
  loginMs: 20_000,
  restMs: 10_000,
  reconnectMs: 600_000,
  firstWaitMs: 5_000,
  longestWaitMs: 300_000,
};
