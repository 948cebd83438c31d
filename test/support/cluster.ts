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
import { TEMPLATE_DATABASE, databaseUrl } from './database-url.js';

export interface Cluster {
  readonly url: string;
  stop(): Promise<void>;
}

const log = pino({ level: 'silent' });

/** One PostgreSQL for the whole run, without flushes to disk, and in it the migrated template of every database. */
export async function startCluster(): Promise<Cluster> {
  const dataDir = mkdtempSync(join(tmpdir(), 'licensing-test-'));
  // As root, PostgreSQL runs as another user, who must be able to get there.
  chmodSync(dataDir, 0o755);
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '300',
  };
  const postgres = await startEmbeddedPostgres({ dataDir, log, settings });
  const admin = new Client(postgres.url);
  await admin.connect();
  await admin.query(`create database ${TEMPLATE_DATABASE}`);
  await admin.end();
  const url = databaseUrl(postgres.url, TEMPLATE_DATABASE);
  const orm = createOrm({ url, poolMax: 2, entities: licensingEntities, migrations, log });
  await migrate(orm);
  await orm.close(true);
  return {
    url: postgres.url,
    stop: async () => {
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
