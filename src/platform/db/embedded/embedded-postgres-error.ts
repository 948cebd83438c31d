import { messageOf } from './run.js';

export type EmbeddedPostgresErrorCode = 'DATA_DIR_IN_USE' | 'CANNOT_START' | 'UNSUPPORTED_PLATFORM';

/** Why the built-in PostgreSQL did not start. The message is written for the operator. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';

  constructor(
    readonly code: EmbeddedPostgresErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Another living server holds the directory. */
  static inUse(dataDir: string): EmbeddedPostgresError {
    return new EmbeddedPostgresError(
      'DATA_DIR_IN_USE',
      `Another server is already running on the data directory ${dataDir}. ` +
        'Stop it first, or give this server a directory of its own with DATA_DIR, ' +
        'or let both use one PostgreSQL with DATABASE_URL.',
    );
  }

  /** Passes our own errors through and turns any other one into CANNOT_START. */
  static from(error: unknown, dataDir: string): EmbeddedPostgresError {
    if (error instanceof EmbeddedPostgresError) return error;
    return new EmbeddedPostgresError(
      'CANNOT_START',
      `The built-in PostgreSQL cannot start in ${dataDir}: ${messageOf(error)}\n` +
        'DATA_DIR may name another directory, or DATABASE_URL a PostgreSQL of your own.',
      { cause: error },
    );
  }
}
