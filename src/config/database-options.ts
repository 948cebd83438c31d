import { integer, listOf, oneOf, postgresUrl } from './kinds.js';
import type { Option } from './option.js';

/** Where the database is, and how it is reached; see `options.ts`. */
export const DATABASE_OPTIONS = {
  'DATABASE.URL': {
    schema: postgresUrl(),
    defaultNote: 'none: embedded Postgres in `DATA_DIR`',
    meaning: 'Postgres 15 or newer, or a pooler in front of it.',
    secret: 'url',
  },
  'DATABASE.DIRECT_URL': {
    schema: postgresUrl(),
    defaultNote: '`DATABASE.URL`',
    meaning:
      'The same database past a pooler in transaction mode, for what needs a connection to itself: jobs, notifications, the bot, migrations.',
    secret: 'url',
  },
  'DATABASE.PREPARED': {
    schema: oneOf(['true', 'false']),
    defaultNote: '`false` with `DATABASE.DIRECT_URL`, else `true`',
    meaning: 'Whether connections keep the plans of frequent statements; a pooler has to know how.',
  },
  'DATABASE.REPLICA_URLS': {
    schema: listOf(postgresUrl()),
    default: '',
    meaning: 'Streaming replicas that lists are read from, as far as they have caught up.',
    secret: 'url',
  },
  'DATABASE.POOL_MAX': {
    schema: integer(1, 500),
    default: '10',
    meaning: 'Most connections this process keeps open to Postgres, and to each replica.',
  },
} as const satisfies Record<string, Option>;
