import { once } from 'node:events';
import { Client } from 'pg';
import { reasonOf } from '../../platform/db/wait-for-database.js';
import { rows } from './database-checks.js';
import type { Patient } from './database-checks.js';
import { bytes, fail, ok, warn } from './finding.js';
import type { Check, Found } from './finding.js';

const CONNECT_MS = 3_000;
const NOTIFY_MS = 2_000;
const LAG_WARN_BYTES = 64 * 2 ** 20;
const SLOT_WARN_BYTES = 2 ** 30;

/** The ways to the database besides the one that was taken: a pooler, replicas, notifications. */
export const WAYS_CHECKS: Readonly<Record<string, Check<Patient>>> = {
  'database.notifications': async ({ client, url }) => {
    const heard = once(client, 'notification', { signal: AbortSignal.timeout(NOTIFY_MS) }).then(
      () => true,
      () => false,
    );
    await client.query('listen licensing_doctor');
    // By another client, while this one is idle: a pooler would tell whoever has the connection at that moment.
    await withClient(url, (other) => other.query('notify licensing_doctor'));
    const isHeard = await heard;
    await client.query('unlisten licensing_doctor');
    if (isHeard) return ok('notifications arrive');
    return fail(
      'notifications do not arrive: there is a pooler in between that lends connections by the transaction',
      'Set DATABASE_DIRECT_URL to PostgreSQL itself.',
    );
  },
  'database.pooler': async ({ config: { database } }) => {
    const { url, directUrl } = database;
    if (url === undefined || url === directUrl) return ok('no pooler is configured');
    const names: string[] = [];
    try {
      // Two clients, one after the other: a pooler that doesn't know names gives them the same connection.
      for (let n = 0; n < 2; n++) {
        await withClient(url, (pooled) =>
          pooled.query(
            database.prepared
              ? { name: 'licensing-doctor', text: 'select $1::integer', values: [n] }
              : { text: 'select $1::integer', values: [n] },
          ),
        );
        names.push('answered');
      }
    } catch (error) {
      if (!database.prepared || names.length === 0) {
        return fail(
          `DATABASE_URL does not answer: ${reasonOf(error)}`,
          'See that the pooler runs, and knows this database and user.',
        );
      }
      return fail(
        `the pooler loses prepared statements: ${reasonOf(error)}`,
        'Set DATABASE_PREPARED=false, or max_prepared_statements in pgbouncer 1.21 or newer.',
      );
    }
    return ok(`the pooler answers, ${database.prepared ? 'with' : 'without'} prepared statements`);
  },
  'database.replicas': async ({ client, config: { database } }) => {
    if (database.replicaUrls.length === 0) return ok('no replica is configured');
    const [here] = await rows<{ position: string; system: string }>(
      client,
      `select pg_current_wal_flush_lsn()::text as position,
              (select system_identifier::text from pg_control_system()) as system`,
    );
    const position = here?.position ?? '';
    return Promise.all(
      database.replicaUrls.map((url, index) =>
        replicaAt(url, index + 1, { position, system: here?.system ?? '' }),
      ),
    );
  },
  'database.standbys': async ({ client }) => {
    const standbys = await rows<{ name: string; sync: string; lag: string | null }>(
      client,
      `select application_name as name, sync_state as sync, pg_wal_lsn_diff(pg_current_wal_flush_lsn(), replay_lsn) as lag
         from pg_stat_replication where state = 'streaming'`,
    );
    const [wanted] = await rows<{ names: string }>(
      client,
      `select current_setting('synchronous_standby_names') as names`,
    );
    if (wanted?.names !== '' && !standbys.some(({ sync }) => sync === 'sync' || sync === 'quorum')) {
      return fail(
        `commits wait for a synchronous standby (${wanted?.names ?? ''}), and none streams`,
        'Bring it back, or empty synchronous_standby_names and reload.',
      );
    }
    if (standbys.length === 0) return ok('nothing streams from here');
    return standbys.map(({ name, sync, lag }) => {
      const message = `${name} streams (${sync}), ${bytes(Number(lag ?? 0))} behind`;
      return Number(lag) > LAG_WARN_BYTES ? warn(message, 'See its disk and its network.') : ok(message);
    });
  },
  'database.slots': async ({ client }) => {
    const kept = await rows<{ name: string; kept: string }>(
      client,
      `select slot_name as name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) as kept
         from pg_replication_slots where not active and restart_lsn is not null`,
    );
    const big = kept.filter((slot) => Number(slot.kept) > SLOT_WARN_BYTES);
    if (big.length === 0) return ok('no replication slot holds WAL back');
    return big.map((slot) =>
      warn(
        `the slot ${slot.name}, which nobody reads, keeps ${bytes(Number(slot.kept))} of WAL`,
        `Bring its replica back, or: select pg_drop_replication_slot('${slot.name}')`,
      ),
    );
  },
};

async function replicaAt(
  url: string,
  number: number,
  primary: { readonly position: string; readonly system: string },
): Promise<Found> {
  const name = `replica ${number}`;
  try {
    const found = await withClient(url, (client) =>
      rows<{ standby: boolean; behind: string | null; system: string }>(
        client,
        `select pg_is_in_recovery() as standby, pg_wal_lsn_diff($1::pg_lsn, pg_last_wal_replay_lsn()) as behind,
                (select system_identifier::text from pg_control_system()) as system`,
        [primary.position],
      ),
    );
    const [row] = found;
    if (row?.system !== primary.system) {
      return fail(`${name} belongs to another database`, 'Mend DATABASE_REPLICA_URLS.');
    }
    if (!row.standby)
      return fail(`${name} is a primary of its own`, 'Rebuild it as a replica (pg_rewind, pg_basebackup).');
    const behind = Math.max(Number(row.behind ?? 0), 0);
    const message = `${name} is ${bytes(behind)} behind`;
    return behind > LAG_WARN_BYTES
      ? warn(message, 'Lists come from the primary meanwhile; see its load.')
      : ok(message);
  } catch (error) {
    return warn(
      `${name} does not answer: ${reasonOf(error)}`,
      'Lists come from the primary meanwhile; bring it back.',
    );
  }
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: 'licensing-doctor',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
