import { isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import type { FileProvider } from './file-options.js';
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
  /** `undefined`: one is kept in `dataDir`. */
  readonly auth: { readonly secret?: string | undefined };
  readonly bot: {
    readonly token?: string | undefined;
    readonly platformUrl: string;
    readonly guildId?: string | undefined;
    readonly autostart: boolean;
    readonly sandbox: boolean;
    /** Ids of users. */
    readonly owners: readonly string[];
    /** Absolute. */
    readonly modulesDir?: string | undefined;
    readonly licenseKey?: string | undefined;
  };
  readonly sessions: { readonly ttlSeconds: number };
  readonly marketplace: {
    /** Any of them is good; none: nobody is believed. */
    readonly secrets: readonly string[];
  };
  readonly validation: { readonly cacheMebibytes: number };
  readonly files: {
    readonly provider: FileProvider;
    /** Absolute. */
    readonly root: string;
    readonly github: { readonly apiUrl: string; readonly token?: string | undefined };
    readonly s3: {
      /** Never undefined where the provider is `s3`. */
      readonly bucket?: string | undefined;
      readonly endpoint?: string | undefined;
      readonly region: string;
      /** `undefined`: the SDK looks for credentials itself. */
      readonly accessKeyId?: string | undefined;
      readonly secretAccessKey?: string | undefined;
      readonly prefix: string;
      readonly forcePathStyle: boolean;
    };
  };
  readonly webhooks: {
    readonly allowHttp: boolean;
    /** Addresses and CIDR ranges. */
    readonly allowedNetworks: readonly string[];
    /** Before each attempt; the first is 0. */
    readonly scheduleSeconds: readonly number[];
    readonly timeoutSeconds: number;
    readonly retentionDays: number;
  };
  readonly logs: {
    readonly level: (typeof LOG_LEVELS)[number];
    readonly requestRetentionDays: number;
    readonly activityRetentionDays: number;
  };
  /** GraphQL subscriptions. */
  readonly subscriptions: { readonly max: number };
  readonly jobs: {
    readonly deadAfterSeconds: number;
    readonly historyRetentionDays: number;
    readonly failedRetentionDays: number;
  };
  readonly metrics: {
    /** `undefined`: no port of its own. */
    readonly port?: number | undefined;
    readonly host: string;
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
    auth: { secret: values['AUTH.SECRET'] },
    bot: {
      token: values['BOT.TOKEN'],
      platformUrl: values['BOT.PLATFORM_URL'],
      guildId: values['BOT.GUILD_ID'],
      autostart: values['BOT.AUTOSTART'] === 'true',
      sandbox: values['BOT.SANDBOX'] === 'true',
      owners: values['BOT.OWNERS'],
      modulesDir:
        values['BOT.MODULES_DIR'] === undefined ? undefined : resolve(cwd, values['BOT.MODULES_DIR']),
      licenseKey: values['BOT.LICENSE_KEY'],
    },
    sessions: { ttlSeconds: values['SESSIONS.TTL'] },
    marketplace: { secrets: values['MARKETPLACE.SECRET'] },
    validation: { cacheMebibytes: values['VALIDATION.CACHE'] },
    files: files(values, cwd),
    webhooks: {
      allowHttp: values['WEBHOOKS.ALLOW_HTTP'] === 'true',
      allowedNetworks: values['WEBHOOKS.ALLOWED_NETWORKS'],
      scheduleSeconds: values['WEBHOOKS.SCHEDULE'],
      timeoutSeconds: values['WEBHOOKS.TIMEOUT'],
      retentionDays: values['WEBHOOKS.RETENTION'],
    },
    logs: {
      level: values['LOGS.LEVEL'],
      requestRetentionDays: values['LOGS.REQUESTS.RETENTION'],
      activityRetentionDays: values['LOGS.ACTIVITY.RETENTION'],
    },
    subscriptions: { max: values['SUBSCRIPTIONS.MAX'] },
    jobs: {
      deadAfterSeconds: values['JOBS.DEAD_AFTER'],
      historyRetentionDays: values['JOBS.HISTORY.RETENTION'],
      failedRetentionDays: values['JOBS.FAILED.RETENTION'],
    },
    metrics: { port: values['METRICS.PORT'], host: values['METRICS.HOST'] },
  };
}

function files(values: OptionValues, cwd: string): Config['files'] {
  const root = values['FILES.ROOT'];
  return {
    provider: values['FILES.PROVIDER'],
    root: root === undefined ? resolve(cwd, values.DATA_DIR, 'files') : resolve(cwd, root),
    github: { apiUrl: values['FILES.GITHUB.API_URL'], token: values['FILES.GITHUB.TOKEN'] },
    s3: {
      bucket: values['FILES.S3.BUCKET'],
      endpoint: values['FILES.S3.ENDPOINT'],
      region: values['FILES.S3.REGION'],
      accessKeyId: values['FILES.S3.ACCESS_KEY_ID'],
      secretAccessKey: values['FILES.S3.SECRET_ACCESS_KEY'],
      prefix: values['FILES.S3.PREFIX'] ?? '',
      forcePathStyle: values['FILES.S3.FORCE_PATH_STYLE'] === 'true',
    },
  };
}

function localUrl(host: string, port: number): string {
  // "Every address" is something to listen on, not something to connect to.
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
