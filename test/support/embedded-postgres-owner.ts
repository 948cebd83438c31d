/**
 * A server reduced to its PostgreSQL: starts it in the directory of argv[2], says so in one line of JSON and stays until
 * it is told to stop (SIGTERM) or killed.
 */
import { pino } from 'pino';
import {
  EmbeddedPostgresError,
  startEmbeddedPostgres,
} from '../../src/platform/db/embedded/embedded-postgres.js';

function say(message: Record<string, unknown>): void {
  process.stdout.write(JSON.stringify(message) + '\n');
}

try {
  const postgres = await startEmbeddedPostgres({
    dataDir: process.argv[2] ?? '',
    log: pino({ level: 'info' }, process.stderr),
    settings: { fsync: 'off' },
  });
  process.once('SIGTERM', () => {
    void postgres.stop();
  });
  say({ url: postgres.url });
} catch (error) {
  say({
    code: error instanceof EmbeddedPostgresError ? error.code : 'UNKNOWN',
    message: error instanceof Error ? error.message : String(error),
  });
  process.exitCode = 1;
}
