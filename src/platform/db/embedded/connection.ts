import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Cluster } from './cluster.js';
import { codeOf, messageOf } from './run.js';

const SUPERUSER = 'postgres';
/** The database that is ours. */
export const DATABASE = 'licensing';
const LOCK_KEY = 5_021_846_173;

/** SQLSTATEs and socket errors of a PostgreSQL that is not up yet or no more: worth another try. */
const NOT_READY = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P03', '57P01', '53300']);

/** Where our database is, for whoever may have the password. */
export function urlOf(port: number, password: string): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}`;
}

/** A connection to the maintenance database. The caller ends it. */
export async function connect(port: number, password: string): Promise<Client> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: SUPERUSER,
    password,
    database: 'postgres',
    ssl: false, // or PGSSLMODE in our environment decides
    application_name: 'licensing-gateway owner',
    connectionTimeoutMillis: 5_000,
  });
  // A lost connection is emitted as well as rejected; unheard, it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  return client;
}

/** Whether trying again may help. */
export function isNotReady(error: unknown): boolean {
  const lost = /^(Connection terminated|timeout expired)/.test(messageOf(error));
  return lost || NOT_READY.has(codeOf(error) ?? '');
}

/** Whether PostgreSQL answered, but does not know the password. */
export function isWrongPassword(error: unknown): boolean {
  return ['28P01', '28000'].includes(codeOf(error) ?? '');
}

/**
 * Takes the lock that says "a living server owns this cluster". It belongs to the connection, so it goes when the
 * owner does, even by kill -9: no pid has to be guessed about.
 */
export async function tryOwn(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ owned: boolean }>('select pg_try_advisory_lock($1) as owned', [
    LOCK_KEY,
  ]);
  return rows[0]?.owned ?? false;
}

/** The pid of the postmaster behind a connection, by its own account. */
export async function postmasterPid(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`,
  );
  return rows[0]?.pid ?? 0;
}

/** Whether the server behind a connection runs on this very directory, and not on a copy or the original of it. */
export async function serves(client: Client, cluster: Pick<Cluster, 'directory'>): Promise<boolean> {
  const name = `owner-probe-${randomBytes(8).toString('hex')}`;
  const path = join(cluster.directory, name);
  await writeFile(path, '');
  try {
    const { rows } = await client.query<{ there: boolean }>(
      'select (pg_stat_file($1, true)).size is not null as there',
      [name],
    );
    return rows[0]?.there ?? false;
  } finally {
    await rm(path, { force: true });
  }
}
