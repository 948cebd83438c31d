import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Logger } from 'pino';
import type { Cluster } from './cluster.js';
import { connect, isWrongPassword, postmasterPid, serves, tryOwn } from './connection.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import type { PidFile } from './pid-file.js';
import { exists, isPostmasterOf, readPidFile, removePidFile } from './pid-file.js';

const POLL_MS = 50;
/** An orphan's connections notice within moments that their client died. */
const LOCK_PATIENCE_MS = 2_000;
/** A PostgreSQL that is coming up or going down may take this long to answer or vanish. */
const BUSY_PATIENCE_MS = 30_000;
/** An empty pid file is filled at once, if anybody is filling it. */
const EMPTY_PATIENCE_MS = 1_000;
const FAST_SHUTDOWN_MS = 10_000;

/**
 * Makes sure that no PostgreSQL runs on the cluster.
 *
 *   no postmaster.pid                                   → nothing to do
 *   its postmaster answers, its owner holds the lock    → DATA_DIR_IN_USE
 *   its postmaster answers, the lock is free            → an orphan, its owner was killed: stopped
 *   its postmaster lives, but is not ready              → waited for
 *   anything else                                       → the file is stale; PostgreSQL replaces it, except where
 *                                                         its pid now belongs to a foreign process: removed
 */
export async function clearPreviousOwner(cluster: Cluster, log: Logger): Promise<void> {
  const started = performance.now();
  for (;;) {
    const file = await readPidFile(cluster.directory);
    if (!file) return;
    const waited = performance.now() - started;
    if (file.pid === undefined || file.port === undefined) {
      if (waited > EMPTY_PATIENCE_MS) await removePidFile(cluster.directory, file);
    } else {
      if (await stopReachable(file.pid, file.port, cluster, log)) return;
      if (!(await isPostmasterOf(file.pid, cluster.directory))) {
        if (exists(file.pid)) await removePidFile(cluster.directory, file);
        return;
      }
      if (waited > BUSY_PATIENCE_MS) throw unresponsive(file, cluster);
    }
    await delay(POLL_MS);
  }
}

/** Stops the postmaster that answers on the port, if it serves this cluster and nobody owns it. False: nothing was found. */
async function stopReachable(pid: number, port: number, cluster: Cluster, log: Logger): Promise<boolean> {
  let client: Client | undefined;
  try {
    client = await connect(port, cluster.password);
    if (!(await serves(client, cluster))) return false;
    await stopOrphan(client, cluster, log);
    return true;
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    if (isWrongPassword(error) && (await isPostmasterOf(pid, cluster.directory)))
      throw wrongPassword(cluster);
    // Whatever else it is, it is no PostgreSQL of ours, or one that is on its way up or down.
    return false;
  } finally {
    await client?.end().catch(() => undefined);
  }
}

async function stopOrphan(client: Client, cluster: Cluster, log: Logger): Promise<void> {
  const started = performance.now();
  while (!(await tryOwn(client))) {
    if (performance.now() - started > LOCK_PATIENCE_MS) throw EmbeddedPostgresError.inUse(cluster.dataDir);
    await delay(POLL_MS);
  }
  const pid = await postmasterPid(client);
  // It answers here but runs elsewhere, as in a container that shares only our network: that number is not ours to signal.
  if (!(await isPostmasterOf(pid, cluster.directory))) throw EmbeddedPostgresError.inUse(cluster.dataDir);

  log.warn(
    { postmaster: pid },
    'PostgreSQL is running here without an owner, whose server must have died; stopping it first',
  );
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (exists(pid)) process.kill(pid, signal);
    if (await isGone(pid, cluster.directory)) return;
  }
  throw new EmbeddedPostgresError(
    'CANNOT_START',
    `The PostgreSQL that a previous server left running on ${cluster.directory} (process ${pid}) does not stop.`,
  );
}

async function isGone(pid: number, directory: string): Promise<boolean> {
  const started = performance.now();
  while (performance.now() - started < FAST_SHUTDOWN_MS) {
    // Not by the number alone: where nobody collects orphans, as in many containers, it stays taken for ever.
    if (!(await isPostmasterOf(pid, directory))) return true;
    await delay(POLL_MS);
  }
  return false;
}

/** Nobody gets in without that file; so say which one it is. */
export function wrongPassword(cluster: Cluster): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'CANNOT_START',
    `PostgreSQL in ${cluster.directory} does not accept the password in ${cluster.dataDir}/postgres-password. ` +
      'Restore the file that belongs to this database.',
  );
}

function unresponsive(file: PidFile, cluster: Cluster): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'DATA_DIR_IN_USE',
    `A PostgreSQL (process ${file.pid ?? 0}) runs on ${cluster.directory}, but it does not answer. ` +
      `If no other server is using it, stop it with 'kill -INT ${file.pid ?? 0}' and start again.`,
  );
}
