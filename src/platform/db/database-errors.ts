import { DriverException } from '@mikro-orm/core';
import { DomainError, failure } from '../errors.js';

/** SQLSTATEs (PostgreSQL, appendix A) that this program reacts to. */
const SQLSTATE = {
  uniqueViolation: '23505',
  foreignKeyViolation: '23503',
  checkViolation: '23514',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  invalidText: '22P05',
  untranslatableCharacter: '22021',
  outOfRange: '22003',
  badInput: '22P02',
  badDateTime: '22008',
  badDateTimeFormat: '22007',
  tooManyConnections: '53300',
  protocolViolation: '08P01',
} as const;

const RETRYABLE = new Set<string>([SQLSTATE.serializationFailure, SQLSTATE.deadlockDetected]);
/**
 * Class 08: connection exceptions; 57P0x: the server is shutting down, starting up or was told to drop us; 28 and
 * 3D000: it doesn't let us in, or has no such database; 25006: a failover left us on a server that only reads.
 */
const AWAY = /^(08|28|57P0|3D000$|25006$)/;
const SOCKET_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);
const DROPPED =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|not queryable/i;

interface PostgresError {
  readonly code?: string;
  readonly detail?: string;
  readonly constraint?: string;
  readonly message: string;
  readonly syscall?: string;
  /** Of PostgreSQL's own source, where it was raised; a pooler says none. */
  readonly routine?: string;
}

/** U+0000 ends the text of a statement, and this is what is said of the rest. The ORM writes values into the text. */
function isCutOff({ code, routine }: PostgresError): boolean {
  return code === SQLSTATE.protocolViolation && routine === 'pq_getmsgend';
}

/** What node-postgres or the socket said, beneath whatever wraps it. Errors are told by their shape, not their class. */
function postgresError(error: unknown): PostgresError | undefined {
  let at = error;
  for (let depth = 0; isObject(at) && !(at instanceof DomainError) && depth < 8; depth++) {
    const isWrapper = at instanceof DriverException && isObject(at.cause);
    const message = 'message' in at && typeof at.message === 'string' ? at.message : '';
    const hasCode = 'code' in at && typeof at.code === 'string';
    if (!isWrapper && (hasCode || DROPPED.test(message))) return at as PostgresError;
    const [first] = 'errors' in at && Array.isArray(at.errors) ? (at.errors as unknown[]) : [];
    at = first ?? ('cause' in at ? at.cause : undefined);
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A transaction that ended so may simply be run again, also when the error was put in the caller's terms already. */
export function isRetryable(error: unknown): boolean {
  let at = error;
  while (at instanceof DomainError) at = at.cause;
  return RETRYABLE.has(postgresError(at)?.code ?? '');
}

export function isConnectionLost(error: unknown): boolean {
  const found = postgresError(error);
  const { code, message, syscall } = found ?? {};
  if (found && isCutOff(found)) return false;
  if (message !== undefined && DROPPED.test(message)) return true;
  if (code === undefined) return false;
  // A file that isn't there says ENOENT too; the socket of a database says so when it connects.
  if (code === 'ENOENT') return syscall === 'connect';
  return AWAY.test(code) || SOCKET_CODES.has(code) || code === SQLSTATE.tooManyConnections;
}

/**
 * A database error in the caller's terms, or undefined when it is none that a caller could understand.
 * Unique violations name the value, since two creations at once are told apart only by the constraint.
 */
export function translateDatabaseError(error: unknown): DomainError | undefined {
  const found = postgresError(error);
  if (!found) return undefined;
  if (isConnectionLost(error)) {
    return failure('UNAVAILABLE', 'The database is away; try again shortly', {
      headers: { 'Retry-After': '2' },
      cause: error,
    });
  }
  const [resource = 'record'] = (found.constraint ?? '').split('_');
  const [, fields, values] = /^Key \((.*)\)=\((.*)\)/.exec(found.detail ?? '') ?? [];
  switch (isCutOff(found) ? SQLSTATE.invalidText : found.code) {
    case SQLSTATE.uniqueViolation:
      return failure(
        'ALREADY_EXISTS',
        `A ${resource} with ${fields ?? 'these values'} ${values ?? ''} exists already`,
        {
          cause: error,
        },
      );
    case SQLSTATE.foreignKeyViolation:
      return failure('IN_USE', `Other records still refer to this, or what it refers to is gone`, {
        cause: error,
      });
    case SQLSTATE.checkViolation:
    case SQLSTATE.outOfRange:
    case SQLSTATE.badInput:
    case SQLSTATE.badDateTime:
    case SQLSTATE.badDateTimeFormat:
      return failure('INVALID_FIELD', 'A value is outside of what is allowed', { cause: error });
    case SQLSTATE.invalidText:
    case SQLSTATE.untranslatableCharacter:
      return failure('INVALID_FIELD', 'Text must not contain the character U+0000', { cause: error });
    case SQLSTATE.serializationFailure:
    case SQLSTATE.deadlockDetected:
      return failure('UNAVAILABLE', 'Too many changes of the same records at once; try again', {
        headers: { 'Retry-After': '1' },
        cause: error,
      });
    default:
      return undefined;
  }
}
