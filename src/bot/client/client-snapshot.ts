import type { ActionContext } from '../../platform/context.js';
import type { ClientState } from './client.states.js';
import type { Identity } from './connection.js';

export interface LastError {
  readonly code: string;
  readonly at: Date;
}

/** The client as operators see it. */
export interface ClientSnapshot {
  readonly state: ClientState;
  /** In this state since. */
  readonly since: Date;
  readonly lastError: LastError | null;
  /** Connected without a break of the client since; null unless running or reconnecting. */
  readonly readyAt: Date | null;
  /** Milliseconds; null when unknown. */
  readonly ping: number | null;
  readonly shards: number;
  /** Of the last login; undefined before the first. */
  readonly identity: Identity | undefined;
}

export interface ClientChange {
  readonly snapshot: ClientSnapshot;
  readonly from: ClientState;
  /** Who asked for it; undefined where it came by itself. */
  readonly by: ActionContext | undefined;
}
