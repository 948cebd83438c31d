import { integer, oneOf } from './kinds.js';
import type { Option } from './option.js';

const MOST = 1_000_000;
const quota = (count: string, what: string) =>
  ({ schema: integer(0, MOST), default: count, meaning: `${what}; 0: no limit.` }) satisfies Option;

/** How much of what anyone may ask for: docs/guides/limits.md. */
export const LIMIT_OPTIONS = {
  'LIMITS.ENABLED': {
    schema: oneOf(['true', 'false']),
    default: 'true',
    meaning: 'Whether requests are limited by rate, and who guesses is locked out.',
  },
  'LIMITS.STORE': {
    schema: oneOf(['memory', 'postgres']),
    default: 'memory',
    meaning: 'Where requests are counted: by each process for itself, or in the database for all gateways.',
  },
  'LIMITS.VALIDATE.PAIR': quota('60', 'Validations a minute of one license from one address'),
  'LIMITS.VALIDATE.LICENSE': quota('600', 'Validations a minute of one license'),
  'LIMITS.VALIDATE.ADDRESS': quota('1200', 'Validations a minute from one address'),
  'LIMITS.UNKNOWN_KEYS': quota('20', 'Unknown license keys a minute that lock an address out'),
  'LIMITS.WRONG_SECRETS': quota('10', 'Wrong API keys a minute that lock an address out'),
  'LIMITS.HEARTBEAT': quota('30', 'Heartbeats a minute of one session'),
  'LIMITS.DOWNLOADS.ISSUE': quota('10', 'Download links a minute for one license'),
  'LIMITS.DOWNLOADS.FETCH': quota('60', 'Downloads a minute from one address'),
  'LIMITS.USER_VARIABLES': quota('60', 'Calls of `/variables/user` a minute for one license'),
  'LIMITS.MARKETPLACE': quota('60', 'Messages of marketplaces in 10 seconds from one address'),
  'LIMITS.ADMIN': quota(
    '1200',
    'Other requests a minute with one API key, or from one address without a key',
  ),
  'LIMITS.BOT': quota('120', 'Requests a minute to the bot API from one address'),
} as const satisfies Record<string, Option>;

/** How long a connection may take, and how many there may be. */
export const CONNECTION_OPTIONS = {
  'SERVER.HEADERS_TIMEOUT': {
    schema: integer(1, 600),
    default: '15',
    meaning: "Seconds in which a request's headers must have come in.",
  },
  'SERVER.REQUEST_TIMEOUT': {
    schema: integer(1, 3_600),
    default: '120',
    meaning:
      'Seconds in which a request must have come in, and that a connection may be silent while it is served.',
  },
  'SERVER.CONNECTIONS_MAX': {
    schema: integer(0, 1_000_000),
    default: '10000',
    meaning:
      'Most connections that each port keeps open; the next is hung up on. 0: as many as the system lets.',
  },
} as const satisfies Record<string, Option>;
