import type { z } from 'zod';
import { addressRange, baseUrl, bearer, host, integer, listOf, oneOf, setOf, text, waits } from './kinds.js';
import { BOT_OPTIONS } from './bot-options.js';
import { DATABASE_OPTIONS } from './database-options.js';
import { FILE_OPTIONS } from './file-options.js';
import { CONNECTION_OPTIONS, LIMIT_OPTIONS } from './limit-options.js';
import type { Option } from './option.js';
import { TRACING_OPTIONS } from './tracing-options.js';

/** What a process can do; one process may do several things. */
export const ROLES = ['gateway', 'worker', 'bot'] as const;
export type Role = (typeof ROLES)[number];

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * Every option of the server. The key is the one of the YAML file; in the environment its dots are underscores.
 * A new option is one row here and one line in `shape.ts`; the compiler asks for the second.
 */
export const OPTIONS = {
  ROLES: {
    schema: setOf(oneOf(ROLES)),
    default: 'gateway,worker,bot',
    meaning: 'What this process does: serve the APIs, run the jobs, run the bot (or stand by for it).',
  },
  'SERVER.HOST': {
    schema: host(),
    default: '127.0.0.1',
    meaning: 'Address the server listens on.',
  },
  'SERVER.PORT': {
    schema: integer(0, 65535),
    default: '3000',
    meaning: 'Port of GraphQL and the licensing API; 0 takes a free one.',
  },
  'SERVER.API.PORT': {
    schema: integer(0, 65535),
    default: '3001',
    meaning: 'Port of the bot API; 0 takes a free one.',
  },
  'SERVER.PUBLIC_URL': {
    schema: baseUrl(),
    defaultNote: 'from `SERVER.HOST` and `SERVER.PORT`',
    meaning: 'Base of the links this server hands out.',
  },
  'SERVER.PROCESSES': {
    schema: integer(1, 256),
    default: '1',
    meaning:
      'How many processes answer HTTP on these ports, one a processor core; also `npm start -- --processes 4`.',
  },
  'SERVER.TRUSTED_PROXIES': {
    schema: listOf(addressRange()),
    default: '',
    meaning: 'Addresses and CIDR ranges of the proxies whose `X-Forwarded-For` is believed.',
  },
  'SERVER.DOCS': {
    schema: oneOf(['true', 'false']),
    default: 'true',
    meaning: 'Whether `/docs`, `/openapi.json` and, for browsers, GraphiQL at `/graphql` are served.',
  },
  ...CONNECTION_OPTIONS,
  ...DATABASE_OPTIONS,
  DATA_DIR: {
    schema: text(1),
    default: './data',
    meaning: 'Directory of the embedded database and of local files, relative to the working directory.',
  },
  API_KEY: {
    schema: bearer(32),
    defaultNote: 'generated at the first start and printed once',
    meaning: 'The first API key, 32 characters or more.',
    secret: 'text',
  },
  SECRET_KEY: {
    schema: text(32),
    defaultNote: 'generated in `DATA_DIR` at the first start',
    meaning: 'Encrypts stored secrets, 32 characters or more; the same for all processes of one database.',
    secret: 'text',
  },
  SECRET_KEY_PREVIOUS: {
    // One, and no list: the key of an existing installation may have commas.
    schema: text(32),
    defaultNote: 'none',
    meaning: 'Another key that stored secrets may be encrypted with, while `SECRET_KEY` is being changed.',
    secret: 'text',
  },
  'AUTH.SECRET': {
    schema: bearer(32),
    defaultNote: 'generated in `DATA_DIR` at the first start and printed once',
    meaning: 'The bearer of the bot API, 32 characters or more; the same for all gateways.',
    secret: 'text',
  },
  ...BOT_OPTIONS,
  'SESSIONS.TTL': {
    schema: integer(60, 86_400),
    default: '600',
    meaning: 'Seconds that a session lives after its last heartbeat.',
  },
  'MARKETPLACE.SECRET': {
    schema: listOf(text(8)),
    default: '',
    defaultNote: 'none: marketplaces are answered 503',
    meaning: 'What marketplaces show to be believed; several, separated by commas, are all good.',
    secret: 'text',
  },
  ...FILE_OPTIONS,
  'VALIDATION.CACHE': {
    schema: integer(0, 65_536),
    default: '64',
    meaning: 'MiB that this process may use to remember licenses; 0 reads them each time.',
  },
  'WEBHOOKS.ALLOW_HTTP': {
    schema: oneOf(['true', 'false']),
    default: 'false',
    meaning: 'Whether webhooks may go to `http://` URLs, where anyone on the way can read them.',
  },
  'WEBHOOKS.ALLOWED_NETWORKS': {
    schema: listOf(addressRange()),
    default: '',
    meaning: 'Addresses and CIDR ranges that webhooks may go to although they are not public.',
  },
  'WEBHOOKS.SCHEDULE': {
    schema: waits(),
    default: '0,5,300,1800,7200,18000,36000,36000',
    meaning: 'Seconds that pass before each attempt at a delivery, ±20 %; as many attempts as numbers.',
  },
  'WEBHOOKS.TIMEOUT': {
    schema: integer(1, 120),
    default: '15',
    meaning: 'Seconds that one attempt may take in all.',
  },
  'WEBHOOKS.RETENTION': {
    schema: integer(1, 3_650),
    default: '30',
    meaning: 'Days that deliveries which have ended are kept, to be looked at and sent again.',
  },
  'LOGS.REQUESTS.RETENTION': {
    schema: integer(1, 3_650),
    default: '30',
    meaning: 'Days that the request log is kept.',
  },
  'LOGS.ACTIVITY.RETENTION': {
    schema: integer(1, 3_650),
    default: '90',
    meaning: 'Days that the activity log is kept.',
  },
  'SUBSCRIPTIONS.MAX': {
    schema: integer(0, 100_000),
    default: '1000',
    meaning: 'Most WebSockets and event streams of GraphQL subscriptions that this process keeps open.',
  },
  'JOBS.DEAD_AFTER': {
    schema: integer(2, 3_600),
    default: '30',
    meaning:
      'Seconds after which a worker that gives no sign of life is dead, and its jobs go to the others.',
  },
  'JOBS.HISTORY.RETENTION': {
    schema: integer(1, 3_650),
    default: '7',
    meaning: 'Days that finished runs of jobs are kept.',
  },
  'JOBS.FAILED.RETENTION': {
    schema: integer(1, 3_650),
    default: '30',
    meaning: 'Days that a job which has failed for good stays in the queue, to be retried.',
  },
  ...LIMIT_OPTIONS,
  'METRICS.PORT': {
    schema: integer(0, 65535),
    defaultNote: 'none: `/metrics` on `SERVER.PORT`, with an API key',
    meaning: 'Port that serves `/metrics` and `/health` without a key, in every role; 0 takes a free one.',
  },
  'METRICS.HOST': {
    schema: host(),
    default: '127.0.0.1',
    meaning: 'Address that `METRICS.PORT` listens on.',
  },
  ...TRACING_OPTIONS,
  'LOGS.LEVEL': {
    schema: oneOf(LOG_LEVELS),
    default: 'info',
    meaning: `Least severe lines that are written: ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}.`,
  },
} as const satisfies Record<string, Option>;

export type OptionKey = keyof typeof OPTIONS;

/** The parsed value of every option; one without a default may be `undefined`. */
export type OptionValues = {
  readonly [Key in OptionKey]:
    | z.output<(typeof OPTIONS)[Key]['schema']>
    | ((typeof OPTIONS)[Key] extends { default: string } ? never : undefined);
};

/** The table as rows, for those who treat every option alike. */
export const OPTION_ROWS = Object.entries<Option>(OPTIONS) as (readonly [OptionKey, Option])[];

/** The environment's spelling of a key: `SERVER.API.PORT` → `SERVER_API_PORT`. */
export function environmentName(key: string): string {
  return key.replaceAll('.', '_');
}
