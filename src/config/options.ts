import type { z } from 'zod';
import { addressRange, baseUrl, host, integer, listOf, oneOf, postgresUrl, setOf, text } from './kinds.js';

/** What a process can do; one process may do several things. */
export const ROLES = ['gateway', 'worker'] as const;
export type Role = (typeof ROLES)[number];

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** One row of the table: everything there is to know about an option. */
export interface Option {
  /** Takes text (or a list of texts) and describes what it allows. */
  schema: z.ZodType;
  /** As an operator would write it. Without one, the option is `undefined` until it is set, or derived from others. */
  default?: string;
  /** What documentation says in place of a default that can't be written down. */
  defaultNote?: string;
  /** One sentence, with the unit. */
  meaning: string;
  /** How the value is hidden in messages: all of it, or only the password of a URL. */
  secret?: 'text' | 'url';
}

/**
 * Every option of the server. The key is the one of the YAML file; in the environment its dots are underscores.
 * A new option is one row here and one line in `shape.ts`; the compiler asks for the second.
 */
export const OPTIONS = {
  ROLES: {
    schema: setOf(oneOf(ROLES)),
    default: 'gateway,worker',
    meaning: 'What this process does: serve the APIs, run the jobs, or both.',
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
    meaning: 'Port of the bot API, which is still to come; 0 takes a free one.',
  },
  'SERVER.PUBLIC_URL': {
    schema: baseUrl(),
    defaultNote: 'from `SERVER.HOST` and `SERVER.PORT`',
    meaning: 'Base of the links this server hands out.',
  },
  'SERVER.TRUSTED_PROXIES': {
    schema: listOf(addressRange()),
    default: '',
    meaning: 'Addresses and CIDR ranges of the proxies whose `X-Forwarded-For` is believed.',
  },
  'DATABASE.URL': {
    schema: postgresUrl(),
    defaultNote: 'none: embedded Postgres in `DATA_DIR`',
    meaning: 'Postgres 15 or newer.',
    secret: 'url',
  },
  'DATABASE.POOL_MAX': {
    schema: integer(1, 500),
    default: '10',
    meaning: 'Most connections this process keeps open to Postgres.',
  },
  DATA_DIR: {
    schema: text(1),
    default: './data',
    meaning: 'Directory of the embedded database, relative to the working directory.',
  },
  API_KEY: {
    schema: text(32),
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
  'SESSIONS.TTL': {
    schema: integer(60, 86_400),
    default: '600',
    meaning: 'Seconds that a session lives after its last heartbeat.',
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
