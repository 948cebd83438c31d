import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { removeDrafts } from './cluster-creation.js';
import type { Cluster } from './cluster.js';
import { openCluster } from './cluster.js';
import { DATABASE, isNotReady, isWrongPassword, urlOf } from './connection.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { Ownership } from './ownership.js';
import type { Postmaster } from './postmaster.js';
import { spawnPostmaster } from './postmaster.js';
import { clearPreviousOwner, wrongPassword } from './previous-owner.js';

export { EmbeddedPostgresError } from './embedded-postgres-error.js';

/** A running PostgreSQL that belongs to this process. */
export interface EmbeddedPostgres {
  readonly url: string;
  /** Fast shutdown; resolves when the process is gone. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  dataDir: string;
  log: Logger;
  /** PostgreSQL settings beside or instead of our defaults. */
  settings?: Record<string, string>;
  /** PostgreSQL has ended without stop(); everything that uses it is about to fail. */
  onUnexpectedExit?: (reason: string) => void;
}

const ATTEMPTS = 10;
const POLL_MS = 20;
const STILL_STARTING_MS = 10_000;
const LAST_WORD_MS = 1_000;

/** Failures that the next attempt, with another port and another look at the directory, may not meet. */
const TRANSIENT = [
  /Address already in use|could not create any TCP\/IP sockets/,
  /lock file "postmaster\.pid" (already exists|is empty)/,
  /pre-existing shared memory block/, // a killed postmaster's children are still ending
];

/**
 * Starts the built-in PostgreSQL on `<dataDir>/postgres`, creating it at first. Throws EmbeddedPostgresError.
 * One process owns a data directory at a time; what a killed owner left running is stopped first.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, settings = {} } = options;
  try {
    const cluster = await openCluster({ dataDir, log, settings });
    const { postmaster, ownership } = await launch(cluster, settings, log);
    try {
      await removeDrafts(cluster.dataDir, cluster.directory).catch((error: unknown) => {
        log.warn({ err: error, dataDir }, 'could not clear away an unfinished first start');
      });
      await createDatabase(ownership);
    } catch (error) {
      ownership.release();
      await postmaster.stop();
      throw error;
    }
    return running(cluster, postmaster, ownership, options);
  } catch (error) {
    throw EmbeddedPostgresError.from(error, dataDir);
  }
}

interface Launched {
  postmaster: Postmaster;
  ownership: Ownership;
}

async function launch(cluster: Cluster, settings: Record<string, string>, log: Logger): Promise<Launched> {
  let lines = '';
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    await clearPreviousOwner(cluster, log);
    const postmaster = spawnPostmaster(cluster, await freePort(), settings, log);
    const ownership = await takeOwnership(cluster, postmaster, log).catch(async (error: unknown) => {
      await postmaster.stop();
      throw error;
    });
    if (ownership) return { postmaster, ownership };
    lines = postmaster.lines.last();
    await delay(attempt * POLL_MS);
  }
  throw failure('it failed again and again', lines, cluster);
}

/** Waits until the postmaster is ready and owned by us. Undefined if it ended in a way that another attempt may avoid. */
async function takeOwnership(
  cluster: Cluster,
  postmaster: Postmaster,
  log: Logger,
): Promise<Ownership | undefined> {
  let nextNotice = performance.now() + STILL_STARTING_MS;
  // No limit: replaying the log after a crash takes its time, and to cut it short would start it all over again.
  for (;;) {
    const exit = await Promise.race([postmaster.exited, delay(POLL_MS)]);
    if (exit) {
      const lines = postmaster.lines.last();
      if (TRANSIENT.some((pattern) => pattern.test(lines))) return undefined;
      // We did not ask for a clean exit, so another start did: it took the lock first.
      if (exit.clean) throw EmbeddedPostgresError.inUse(cluster.dataDir);
      throw failure(exit.how, lines, cluster);
    }
    try {
      const ownership = await Ownership.take(cluster, postmaster, log);
      if (ownership) return ownership;
      // Somebody else's, or ours in somebody else's hands.
      throw EmbeddedPostgresError.inUse(cluster.dataDir);
    } catch (error) {
      if (isWrongPassword(error)) throw wrongPassword(cluster);
      // What answered may be a stranger on the port that ours is failing to get; then ours says so in a moment.
      if (!isNotReady(error) && !(await Promise.race([postmaster.exited, delay(LAST_WORD_MS)]))) throw error;
    }
    if (performance.now() > nextNotice) {
      nextNotice += STILL_STARTING_MS;
      log.info('PostgreSQL is still starting; after a crash it first replays its log');
    }
  }
}

function running(
  cluster: Cluster,
  postmaster: Postmaster,
  ownership: Ownership,
  options: EmbeddedPostgresOptions,
): EmbeddedPostgres {
  let stopped: Promise<void> | undefined;
  postmaster.lines.phase = 'running';
  void postmaster.exited.then((exit) => {
    ownership.release();
    if (stopped) return;
    const reason = `PostgreSQL stopped unexpectedly (${exit.how}). Its last lines:\n${postmaster.lines.last()}`;
    options.log.error({ dataDir: cluster.dataDir }, reason);
    options.onUnexpectedExit?.(reason);
  });
  options.log.debug({ cluster: cluster.directory, port: postmaster.port }, 'PostgreSQL is running');
  return {
    url: urlOf(postmaster.port, cluster.password),
    stop: () => {
      ownership.release();
      return (stopped ??= postmaster.stop().then(() => ownership.close()));
    },
  };
}

async function createDatabase(ownership: Ownership): Promise<void> {
  const existing = await ownership.query(`select 1 from pg_database where datname = '${DATABASE}'`);
  if (existing.length === 0) await ownership.query(`create database ${DATABASE}`);
}

function failure(how: string, lines: string, cluster: Cluster): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'CANNOT_START',
    `The built-in PostgreSQL in ${cluster.directory} did not start (${how}). Its last lines:\n${lines}`,
  );
}

/** A port that is free now. It may be taken before PostgreSQL has it; then the next attempt asks again. */
async function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address && typeof address === 'object') resolve(address.port);
        else reject(new Error('no free port on 127.0.0.1'));
      });
    });
  });
}
