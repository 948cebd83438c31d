import 'reflect-metadata';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { migrations } from '../../migrations/index.js';
import { licensingEntities } from '../../src/licensing/entities.js';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/embedded-postgres.js';
import { createOrm, migrate } from '../../src/platform/db/orm.js';

export interface BenchDatabase {
  readonly url: string;
  sql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
}

const log = pino({ level: 'silent' });

/** A PostgreSQL of its own, which flushes every commit to disk as a real one does, with our schema. */
export async function startDatabase(): Promise<BenchDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'licensing-bench-'));
  chmodSync(dataDir, 0o755);
  const settings = { shared_buffers: '512MB', max_wal_size: '4GB' };
  const postgres = await startEmbeddedPostgres({ dataDir, log, settings });
  const orm = createOrm({ url: postgres.url, poolMax: 2, entities: licensingEntities, migrations, log });
  await migrate(orm);
  await orm.close(true);
  const client = new Client(postgres.url);
  await client.connect();
  return {
    url: postgres.url,
    sql: async <Row extends object>(text: string, values: unknown[] = []) =>
      (await client.query<Row>(text, values)).rows,
    stop: async () => {
      await client.end();
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Has so many licenses, of 3 products and a fifth as many customers; their keys can be computed: see {@link keyOf}. */
export async function seedLicenses(database: BenchDatabase, count: number): Promise<void> {
  const [row] = await database.sql<{ count: number }>('select count(*)::integer as count from license');
  const from = (row?.count ?? 0) + 1;
  if (from === 1) {
    await database.sql(`
      insert into product (name, created_at, updated_at)
        select 'Product ' || n, now(), now() from generate_series(1, 3) n`);
    await database.sql(`
      insert into variable (scope, key, value, created_at, updated_at)
        select 'global', 'setting_' || n, to_jsonb(n), now(), now() from generate_series(1, 5) n`);
  }
  await database.sql(
    `insert into customer (name, created_at, updated_at)
       select 'Customer ' || n, now(), now() from generate_series($1::integer / 5 + 1, $2::integer / 5 + 1) n
       on conflict do nothing`,
    [from, count],
  );
  await database.sql(
    `insert into license (key, lookup, product_id, customer_id, expires_at, created_at, updated_at)
       select substr(k, 1, 5) || '-' || substr(k, 6, 5) || '-' || substr(k, 11, 5) || '-' || substr(k, 16, 5) || '-'
              || substr(k, 21, 5), k, n % 3 + 1, c.id, now() + interval '1 year', now(), now()
         from generate_series($1::integer, $2::integer) n
         cross join lateral (select lpad(n::text, 25, 'A') as k) made
         join customer c on c.name = 'Customer ' || (n / 5 + 1)`,
    [from, count],
  );
  await database.sql('vacuum analyze');
  // What the seeding has left to write must not be written while something is measured.
  await database.sql('checkpoint');
}

/** The key of the nth license, from 1. */
export function keyOf(n: number): string {
  const digits = String(n).padStart(25, 'A');
  return [0, 5, 10, 15, 20].map((at) => digits.slice(at, at + 5)).join('-');
}

/** Request bodies that validate the licenses from 1 to `count`. */
export function validations(count: number, more: object = {}): string[] {
  return Array.from({ length: count }, (_, at) => JSON.stringify({ license_key: keyOf(at + 1), ...more }));
}
