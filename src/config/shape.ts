import { isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import type { LOG_LEVELS, OptionValues, Role } from './options.js';

/** The configuration as the program reads it. It never changes while the process runs. */
export interface Config {
  readonly roles: ReadonlySet<Role>;
  readonly server: {
    readonly host: string;
    /** 0: whichever port is free. */
    readonly port: number;
    readonly api: { readonly port: number };
    /** Never ends in a slash. */
    readonly publicUrl: string;
    /** Addresses and CIDR ranges, as Express takes them for `trust proxy`. */
    readonly trustedProxies: readonly string[];
  };
  readonly database: {
    /** `undefined`: the embedded Postgres, in `dataDir`. */
    readonly url?: string | undefined;
    readonly poolMax: number;
  };
  /** Absolute. */
  readonly dataDir: string;
  /** `undefined`: one is made at the first start. */
  readonly apiKey?: string | undefined;
  /** `undefined`: one is kept in `dataDir`. */
  readonly secretKey?: string | undefined;
  readonly sessions: { readonly ttlSeconds: number };
  readonly logs: {
    readonly level: (typeof LOG_LEVELS)[number];
    readonly requestRetentionDays: number;
    readonly activityRetentionDays: number;
  };
}

/** The configuration once everything that is made at the first start is there. */
export type Settings = Config & { readonly secretKey: string };

/** Gives the flat table its shape, and derives the defaults that depend on other options. */
export function shape(values: OptionValues, cwd: string): Config {
  return {
    roles: values.ROLES,
    server: {
      host: values['SERVER.HOST'],
      port: values['SERVER.PORT'],
      api: { port: values['SERVER.API.PORT'] },
      publicUrl: values['SERVER.PUBLIC_URL'] ?? localUrl(values['SERVER.HOST'], values['SERVER.PORT']),
      trustedProxies: values['SERVER.TRUSTED_PROXIES'],
    },
    database: {
      url: values['DATABASE.URL'],
      poolMax: values['DATABASE.POOL_MAX'],
    },
    dataDir: resolve(cwd, values.DATA_DIR),
    apiKey: values.API_KEY,
    secretKey: values.SECRET_KEY,
    sessions: { ttlSeconds: values['SESSIONS.TTL'] },
    logs: {
      level: values['LOGS.LEVEL'],
      requestRetentionDays: values['LOGS.REQUESTS.RETENTION'],
      activityRetentionDays: values['LOGS.ACTIVITY.RETENTION'],
    },
  };
}

function localUrl(host: string, port: number): string {
  // "Every address" is something to listen on, not something to connect to.
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
