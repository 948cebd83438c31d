import { MikroORM } from '@mikro-orm/postgresql';
import type { EntityClass, EntityManager } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import type { Migration } from '@mikro-orm/migrations';
import { runMigrations as migrateJobs } from 'graphile-worker';
import { sql } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from '../logger.js';
import { tracer } from '../tracing/tracing.js';
import { dontNameStatements } from './query.js';

export interface OrmOptions {
  readonly url: string;
  /** Connections this process may hold for entities; jobs and listeners have their own. */
  readonly poolMax: number;
  /** Whether connections may keep the plans of statements; true unless it says otherwise. */
  readonly prepared?: boolean;
  /** How long a connection may take; {@link CONNECT_MS} unless it says otherwise. */
  readonly connectMs?: number;
  readonly entities: EntityClass<unknown>[];
  readonly migrations: (new (...args: ConstructorParameters<typeof Migration>) => Migration)[];
  readonly log: Logger;
}

/** Any process that migrates holds this lock meanwhile, so that ten gateways may start at once. */
const MIGRATION_LOCK = 'migrations';
const CONNECT_MS = 10_000;

/** The ORM over one pool. Connects lazily; nothing is created or changed until {@link migrate}. */
export function createOrm(options: OrmOptions): MikroORM {
  return new MikroORM({
    clientUrl: options.url,
    entities: options.entities,
    extensions: [Migrator],
    migrations: {
      migrationsList: options.migrations,
      snapshot: false,
      transactional: true,
      allOrNothing: true,
      tableName: 'migration',
      silent: true,
    },
    pool: { max: options.poolMax },
    driverOptions: {
      // The ORM takes host, user and database from a URL and drops its parameters: `sslmode` above all.
      connectionString: options.url,
      application_name: 'licensing-gateway',
      connectionTimeoutMillis: options.connectMs ?? CONNECT_MS,
      onPoolCreated: (pool: Pool) => {
        reclaimBroken(pool);
        tracer()?.watchPool(pool);
        if (options.prepared === false) dontNameStatements(pool);
      },
    },
    forceUtcTimezone: true,
    // Every request and job forks its own identity map; a shared one would mix up callers.
    allowGlobalContext: false,
    logger: (message) => {
      options.log.debug(message);
    },
    colors: false,
  });
}

/**
 * Takes back a connection that broke while it was in use. Kysely never returns one whose `begin` or `rollback` failed,
 * and after as many such losses as the pool has connections nobody would get one again.
 */
function reclaimBroken(pool: Pool): void {
  const inUse = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => {
    inUse.add(client);
  });
  pool.on('release', (_error, client) => {
    inUse.delete(client);
  });
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!inUse.has(client)) return;
      client.release(true);
      // Whoever holds it still may give it back, as ever; the pool would call that an error.
      client.release = () => undefined;
    });
  });
}

/**
 * Brings the schema, ours and graphile-worker's, up to date under a lock. Resolves to the names that were applied. The
 * lock is the connection's, so there must be no pooler in between that lends connections by the transaction.
 */
export async function migrate(orm: MikroORM): Promise<string[]> {
  const pool = await nativePool(orm);
  const lock = await pool.connect();
  try {
    await lock.query('select pg_advisory_lock(hashtext($1))', [MIGRATION_LOCK]);
    const applied = await orm.migrator.up();
    await migrateJobs({ pgPool: pool });
    return applied.map((migration) => migration.name);
  } finally {
    await lock.query('select pg_advisory_unlock(hashtext($1))', [MIGRATION_LOCK]).catch(() => undefined);
    lock.release();
  }
}

/**
 * The names of our migrations that the database lacks. Only reads; the ORM's own answer would first create whatever is
 * missing, the database included.
 */
export async function pendingMigrations(orm: MikroORM): Promise<string[]> {
  const pool = await nativePool(orm);
  const { migrationsList = [], tableName = '' } = orm.config.get('migrations');
  const table = await pool.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    tableName,
  ]);
  const applied = table.rows[0]?.found
    ? await pool.query<{ name: string }>(`select name from ${tableName}`)
    : { rows: [] };
  const names = new Set(applied.rows.map((row) => row.name));
  return migrationsList.map((migration) => migration.name).filter((name) => !names.has(name));
}

/** The node-postgres pool beneath the ORM, for what must share its connections. */
export async function nativePool(orm: MikroORM): Promise<Pool> {
  return orm.em.getDriver().getConnection().getNativeClient();
}

/** Resolves when the database answers; rejects with its reason otherwise. */
export async function ping(em: EntityManager): Promise<void> {
  await sql`select 1`.execute(em.getKysely());
}

/** `server_version_num`, e.g. 180004 for 18.4. */
export async function serverVersion(em: EntityManager): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::integer as version`.execute(em.getKysely());
  return rows[0]?.version ?? 0;
}
