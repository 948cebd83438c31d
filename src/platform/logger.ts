import { pino } from 'pino';
import { isColorSupported, prettyFactory } from 'pino-pretty';

export type Logger = pino.Logger;

export interface LoggerOptions {
  level: pino.LevelWithSilent;
  /** Standard output, unless a test wants to read along. */
  destination?: pino.DestinationStream;
  /** `json` for machines, `pretty` for eyes. By default, whichever reads the standard output. */
  format?: 'json' | 'pretty';
}

/**
 * The names under which secrets travel, as a field's name ends: `authorization` is also `proxy-authorization`, `token`
 * is also `accessToken`.
 */
const SECRET_NAMES = [
  'authorization',
  'cookie',
  'password',
  'passphrase',
  'secret',
  'token',
  'apiKey',
  'api_key',
  'api-key',
  'secretKey',
  'secret_key',
  'privateKey',
  'private_key',
  'key_plain',
  'keyPlain',
];

/**
 * Makes the one logger of a process. Lines are written before the call returns, so that the last ones before a crash,
 * which matter most, are not lost.
 *
 * Secrets are masked twice: fields by their name, then the finished line by what secrets look like. The second also
 * sees what was spliced into a message, an error's stack or a nested object.
 */
export function createLogger({ level, destination, format }: LoggerOptions): Logger {
  const output = destination ?? pino.destination({ dest: 1, sync: true });
  const pretty = format ?? (destination === undefined && process.stdout.isTTY ? 'pretty' : 'json');
  return pino(
    {
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: maskFields },
      serializers: { err: serializeError, error: serializeError },
      hooks: { streamWrite: maskSecrets },
    },
    pretty === 'pretty' ? prettified(output, destination === undefined ? isColorSupported : false) : output,
  );
}

/** Hides whatever looks like a secret in any text, JSON included. */
export function maskSecrets(text: string): string {
  return MASKS.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text);
}

const NAMES = `[\\w-]*(?:${SECRET_NAMES.join('|')})`;

/** Each keeps JSON valid, and what helps to tell one secret from another. Quotes and backslashes bound every match. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  // "token":"…"
  [new RegExp(`("${NAMES}"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'gi'), '$1"***"'],
  // The same as JSON within a JSON string: \"token\":\"…\", where a quote of the value has become \\\"
  [
    new RegExp(
      `(\\\\"${NAMES}\\\\"\\s*:\\s*)\\\\"(?:[^"\\\\]|\\\\\\\\(?:\\\\\\\\|\\\\"|[^"\\\\]))*\\\\"`,
      'gi',
    ),
    '$1\\"***\\"',
  ],
  // ?secret=…
  [new RegExp(`([?&]${NAMES}=)[^\\s&#"'\\\\]+`, 'gi'), '$1***'],
  // The id of an API key is no secret: it is how operators tell keys apart.
  [/\b(lsk_[A-Za-z0-9]{8}_)[\w-]+/g, '$1***'],
  [/\b(whsec_)[\w+/=-]+/g, '$1***'],
  [/\b(Bearer\s+)(?!lsk_\w{8}_\*)[\w.~+/=*-]+/gi, '$1***'],
  // Passwords of database URLs come badly encoded: with / and @, or with a quote, which is \" in JSON.
  [/\b(postgres(?:ql)?:\/\/[^\s:/@"\\]*:)(?:[^\s"\\]|\\["\\]){1,512}@/gi, '$1***@'],
  // Elsewhere an @ may also stand in a path: http://host:3000/users/a@b.example
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@"'\\]*:)[^\s/?#@"'\\]+@/gi, '$1***@'],
];

const NAME = new RegExp(`^${NAMES}$`, 'i');
const FIELD_DEPTH_MAX = 8;

/**
 * A copy whose secret fields say `***`, whatever they held. (Pino's own `redact` takes 130 µs a line to look as deep.)
 * Only plain objects and lists are entered: the rest, errors first, knows best how to become text.
 */
function maskFields(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isSecret(name, value) ? '***' : maskValue(value, depth),
    ]),
  );
}

function maskValue(value: unknown, depth: number): unknown {
  // Deeper, and in circles, the mask of the finished line is left.
  if (typeof value !== 'object' || value === null || depth >= FIELD_DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return maskFields(value as Record<string, unknown>, depth + 1);
}

/** Yes, no and nothing (`hasToken: false`, `secret: null`) give no secret away, and are good to know. */
function isSecret(name: string, value: unknown): boolean {
  return value !== null && value !== undefined && typeof value !== 'boolean' && NAME.test(name);
}

interface SerializedError {
  type: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: unknown;
  errors?: unknown[];
}

const CAUSE_DEPTH_MAX = 5;

/**
 * The parts of an error that explain it. Not the rest: database and HTTP errors carry the row, the query or the
 * request along, and with it what must not be in a log.
 */
function serializeError(error: unknown, depth = 0): unknown {
  if (!isError(error)) return error;
  const { message, stack, cause } = error;
  const code: unknown = 'code' in error ? error.code : undefined;
  const serialized: SerializedError = { type: error.constructor.name, message };
  if (typeof code === 'string' || typeof code === 'number') serialized.code = code;
  if (stack !== undefined) serialized.stack = stack;
  // Causes may go round in a circle.
  if (depth >= CAUSE_DEPTH_MAX) return serialized;
  if (cause !== undefined) serialized.cause = serializeError(cause, depth + 1);
  if (error.name === 'AggregateError' && 'errors' in error && Array.isArray(error.errors)) {
    serialized.errors = error.errors.map((each) => serializeError(each, depth + 1));
  }
  return serialized;
}

/** An error of another realm, as jest and node:vm make them, is no instance of this one's Error. */
function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** Pino-pretty's own stream buffers, and loses its buffer when the process exits; its formatter alone does not. */
function prettified(output: pino.DestinationStream, colorize: boolean): pino.DestinationStream {
  const format = prettyFactory({
    colorize,
    singleLine: true,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss.l',
  });
  return {
    write(line) {
      output.write(format(line));
    },
  };
}
