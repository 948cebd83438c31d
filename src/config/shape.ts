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
    /** Above 1: that many of their own, beside this one. */
    readonly processes: number;
    /** Addresses and CIDR ranges, as Express takes them for `trust proxy`. */
    readonly trustedProxies: readonly string[];
    /** Whether the documentation's pages are served. */
    readonly docs: boolean;
    readonly headersTimeoutSeconds: number;
    readonly requestTimeoutSeconds: number;
    /** 0: no bound. */
    readonly connectionsMax: number;
  };
  readonly database: {
    /** `undefined`: the embedded Postgres, in `dataDir`. */
    readonly url?: string | undefined;
    /** Past a pooler; the same as `url` where there is none. */
    readonly directUrl?: string | undefined;
    /** Whether statements may be named, so that connections keep their plans. */
    readonly prepared: boolean;
    readonly replicaUrls: readonly string[];
    readonly poolMax: number;
  };
  /** Absolute. */
  readonly dataDir: string;
  /** `undefined`: one is made at the first start. */
  readonly apiKey?: string | undefined;
  /** `undefined`: one is kept in `dataDir`. */
  readonly secretKey?: string | undefined;
  /** What stored secrets may be sealed with beside it. */
  readonly previousSecretKeys: readonly string[];
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
  readonly limits: {
    readonly enabled: boolean;
    readonly store: 'memory' | 'postgres';
    /** Requests in a policy's window; 0: no limit. */
    readonly quotas: Readonly<Record<keyof ReturnType<typeof quotas>, number>>;
  };
  readonly metrics: {
    /** `undefined`: no port of its own. */
    readonly port?: number | undefined;
    readonly host: string;
  };
  readonly tracing: {
    /** `undefined`: nothing is traced. */
    readonly endpoint?: string | undefined;
    readonly headers: Readonly<Record<string, string>>;
    readonly serviceName: string;
    /** 0 to 1. */
    readonly share: number;
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
      processes: values['SERVER.PROCESSES'],
      trustedProxies: values['SERVER.TRUSTED_PROXIES'],
      docs: values['SERVER.DOCS'] === 'true',
      headersTimeoutSeconds: values['SERVER.HEADERS_TIMEOUT'],
      requestTimeoutSeconds: values['SERVER.REQUEST_TIMEOUT'],
      connectionsMax: values['SERVER.CONNECTIONS_MAX'],
    },
    database: database(values),
    dataDir: resolve(cwd, values.DATA_DIR),
    apiKey: values.API_KEY,
    secretKey: values.SECRET_KEY,
    previousSecretKeys: values.SECRET_KEY_PREVIOUS === undefined ? [] : [values.SECRET_KEY_PREVIOUS],
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
    limits: {
      enabled: values['LIMITS.ENABLED'] === 'true',
      store: values['LIMITS.STORE'],
      quotas: quotas(values),
    },
    metrics: { port: values['METRICS.PORT'], host: values['METRICS.HOST'] },
    tracing: {
      endpoint: values['OTEL.EXPORTER_OTLP_ENDPOINT'],
      headers: values['OTEL.EXPORTER_OTLP_HEADERS'],
      serviceName: values['OTEL.SERVICE_NAME'],
      share: values['OTEL.TRACES_SAMPLER_ARG'],
    },
  };
}

function database(values: OptionValues): Config['database'] {
  const direct = values['DATABASE.DIRECT_URL'];
  const prepared = values['DATABASE.PREPARED'];
  return {
    url: values['DATABASE.URL'] ?? direct,
    directUrl: direct ?? values['DATABASE.URL'],
    // A way past the pooler is given where there is one, and older ones lose what a connection has prepared.
    prepared: prepared === undefined ? direct === undefined : prepared === 'true',
    replicaUrls: values['DATABASE.REPLICA_URLS'],
    poolMax: values['DATABASE.POOL_MAX'],
  };
}

function quotas(values: OptionValues) {
  return {
    validatePair: values['LIMITS.VALIDATE.PAIR'],
    validateLicense: values['LIMITS.VALIDATE.LICENSE'],
    validateAddress: values['LIMITS.VALIDATE.ADDRESS'],
    unknownKeys: values['LIMITS.UNKNOWN_KEYS'],
    wrongSecrets: values['LIMITS.WRONG_SECRETS'],
    heartbeat: values['LIMITS.HEARTBEAT'],
    downloadsIssue: values['LIMITS.DOWNLOADS.ISSUE'],
    downloadsFetch: values['LIMITS.DOWNLOADS.FETCH'],
    userVariables: values['LIMITS.USER_VARIABLES'],
    marketplace: values['LIMITS.MARKETPLACE'],
    admin: values['LIMITS.ADMIN'],
    bot: values['LIMITS.BOT'],
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
