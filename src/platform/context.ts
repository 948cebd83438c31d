import type { Settings } from '../config.js';
import type { Clock } from './clock.js';
import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';

/** By which road a change came in. */
export type Source = 'rest' | 'graphql' | 'job' | 'marketplace' | 'cli';

/** Who acts. `scopes` decides what is open; `name` is what the activity log shows, e.g. `api_key:ops`. */
export interface Caller {
  readonly name: string;
  /** Tells callers of the same name apart, e.g. `api_key:7f3k2m9q`. */
  readonly id: string;
  readonly scopes: ReadonlySet<string>;
  /** False for whoever sent no credential. */
  readonly authenticated: boolean;
}

export const ANONYMOUS: Caller = {
  name: 'anonymous',
  id: 'anonymous',
  scopes: new Set(),
  authenticated: false,
};

/** What every service call knows beside its input. A job and a request look the same to a service. */
export interface ActionContext {
  readonly caller: Caller;
  readonly source: Source;
  /** Null for a job. */
  readonly requestId: string | null;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: Settings;
  readonly metrics: Metrics;
}

/** The same action, told of as somebody else's: of whoever holds a credential that isn't an API key. */
export function actingAs({ caller, ...ctx }: ActionContext, name: string): ActionContext {
  return { ...ctx, caller: { ...caller, name } };
}

/** What the HTTP request tells about the client, for verdicts and logs. */
export interface ClientInfo {
  readonly ip: string;
  readonly agent: string;
  /** A request header, by its name in any case. */
  readonly header: (name: string) => string | undefined;
}
