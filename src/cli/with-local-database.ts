import 'reflect-metadata';
import type { MikroORM } from '@mikro-orm/postgresql';
import { GraphQLError } from 'graphql';
import { migrations } from '../../migrations/index.js';
import { environment, loadConfig } from '../config.js';
import type { Config } from '../config.js';
import { createApiKey } from '../licensing/api-keys/api-key.service.js';
import { licensingEntities } from '../licensing/entities.js';
import { systemClock } from '../platform/clock.js';
import type { ActionContext } from '../platform/context.js';
import { EmbeddedPostgresError, startEmbeddedPostgres } from '../platform/db/embedded/embedded-postgres.js';
import { runningClusterUrl } from '../platform/db/embedded/running-cluster-url.js';
import { createOrm, migrate, pendingMigrations, ping } from '../platform/db/orm.js';
import { DatabaseUnusable, waitForDatabase } from '../platform/db/wait-for-database.js';
import { DomainError } from '../platform/errors.js';
import { DateTimeScalar, NameScalar } from '../platform/graphql/scalars.js';
import type { Keyring } from '../platform/seal.js';
import { ownSecretKey } from '../platform/secret-key.js';
import { unreadableTexts } from '../platform/secrets/reseal.service.js';
import { createLogger } from '../platform/logger.js';
import type { Logger } from '../platform/logger.js';
import { createMetrics } from '../platform/metrics.js';
import { SEALED_PLACES } from '../sealed-places.js';
import { CliError } from './cli-error.js';
import type { CliIssuedKeyFragment, CreateApiKeyInput } from './keys.generated.js';

/** What the command line does without a server: what a server would need first. */
export interface LocalDatabase {
  createKey(input: CreateApiKeyInput): Promise<CliIssuedKeyFragment>;
  /** The names of the migrations that were applied. */
  migrate(): Promise<string[]>;
  pendingMigrations(): Promise<string[]>;
}

/**
 * Opens the database that the server of this machine's configuration uses: DATABASE_URL, or the embedded Postgres. That
 * one is used as it is while a server runs it, and is started for the time of `work` else.
 */
export async function withLocalDatabase<T>(work: (database: LocalDatabase) => Promise<T>): Promise<T> {
  const config = loadConfig(environment());
  const stack = new AsyncDisposableStack();
  // The standard output is for answers; and PostgreSQL's warnings are none while a schema is made.
  const destination = { write: (line: string) => process.stderr.write(line) };
  const log = createLogger({ level: 'error', destination, format: 'pretty' });
  try {
    const { url, place } = await locate(config, log, stack);
    const orm = createOrm({ url, poolMax: 2, entities: licensingEntities, migrations, log });
    stack.defer(() => orm.close(true));
    await ping(orm.em.fork()).catch((error: unknown) => {
      throw new CliError(1, `The database (${place}) does not answer: ${reasonOf(error)}`);
    });
    // It answers; this is for a version that is too old.
    await waitForDatabase(orm, log, AbortSignal.abort());
    const settings = { ...config, secretKey: config.secretKey ?? (await ownSecretKey(config.dataDir)) };
    const ctx: ActionContext = {
      ...{ log, settings, clock: systemClock, metrics: createMetrics(), source: 'cli', requestId: null },
      caller: { name: 'cli', id: 'cli', scopes: new Set(['*']), authenticated: true },
    };
    return await work({
      createKey: (input) => createKey(orm, ctx, input, place),
      migrate: () => migrate(orm),
      pendingMigrations: () => pendingMigrations(orm),
    });
  } catch (error) {
    throw explained(error);
  } finally {
    await stack.disposeAsync();
  }
}

/** The names of the migrations that the database of a URL lacks. Only looks. */
export async function pendingMigrationsAt(url: string): Promise<string[]> {
  const log = createLogger({ level: 'silent' });
  const orm = createOrm({ url, poolMax: 1, entities: licensingEntities, migrations, log });
  try {
    return await pendingMigrations(orm);
  } finally {
    await orm.close(true);
  }
}

/** What of the sealed in the database of a URL no key opens, by table. Only looks. */
export async function unreadableSecretsAt(
  url: string,
  keys: Keyring,
): Promise<Readonly<Record<string, number>>> {
  const log = createLogger({ level: 'silent' });
  const orm = createOrm({ url, poolMax: 1, entities: licensingEntities, migrations, log });
  try {
    return await unreadableTexts(orm.em.fork(), keys, SEALED_PLACES);
  } finally {
    await orm.close(true);
  }
}

interface Located {
  readonly url: string;
  /** As messages name it: the URL may hold a password. */
  readonly place: string;
}

async function locate(config: Config, log: Logger, stack: AsyncDisposableStack): Promise<Located> {
  const { dataDir, database } = config;
  // Past a pooler: who migrates holds a lock that is the connection's.
  if (database.directUrl !== undefined) return { url: database.directUrl, place: 'DATABASE_URL' };
  const place = `the embedded one in ${dataDir}`;
  const running = await runningClusterUrl(dataDir);
  if (running !== undefined) return { url: running, place };
  const embedded = await startEmbeddedPostgres({ dataDir, log });
  stack.defer(() => embedded.stop());
  return { url: embedded.url, place };
}

async function createKey(
  orm: MikroORM,
  ctx: ActionContext,
  input: CreateApiKeyInput,
  place: string,
): Promise<CliIssuedKeyFragment> {
  // GraphQL's scalars would have done this.
  const name = parsed('--name', () => NameScalar.parseValue(input.name));
  const { expiresAt: end } = input;
  const expiresAt = end == null ? null : parsed('--expires', () => DateTimeScalar.parseValue(end));
  // Whether to change a database's schema is not for a new key to decide.
  const pending = await pendingMigrations(orm);
  if (pending.length > 0) {
    throw new CliError(
      1,
      `The database (${place}) is not up to date. Start the server on it once, or apply the migrations with \`migrate\`.`,
    );
  }
  const { plain, record } = await orm.em
    .fork()
    .transactional((em) => createApiKey(em, ctx, { name, expiresAt, scopes: input.scopes }));
  return {
    key: plain,
    record: {
      ...{ keyId: record.keyId, name: record.name, scopes: record.scopes },
      createdAt: record.createdAt.toISOString(),
      lastUsedAt: record.lastUsedAt?.toISOString() ?? null,
      expiresAt: record.expiresAt?.toISOString() ?? null,
      revokedAt: record.revokedAt?.toISOString() ?? null,
    },
  };
}

function parsed<T>(option: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof GraphQLError) throw new CliError(2, `${option} ${error.message}`);
    throw error;
  }
}

/** What is known to happen, in words. The rest stays as it is, and keeps its stack. */
function explained(error: unknown): unknown {
  if (error instanceof DomainError) {
    const fields = error.problems.map(({ pointer, detail }) => `${pointer}: ${detail}`);
    return new CliError(1, `${error.message} (${error.code})`, fields);
  }
  if (error instanceof EmbeddedPostgresError) {
    const isStarting = error.code === 'DATA_DIR_IN_USE';
    return new CliError(
      1,
      error.message,
      isStarting ? ['If it is only just starting, try again in a moment.'] : [],
    );
  }
  if (error instanceof DatabaseUnusable) return new CliError(1, error.message);
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'EACCES') return error;
  return new CliError(1, message, ['Run this as the user that the server runs as.']);
}

/** Refused connections come as an AggregateError without a message of its own. */
function reasonOf(error: unknown): string {
  const { message, errors } = error as { message: string; errors?: { message: string }[] };
  return message || (errors?.[0]?.message ?? 'unknown reason');
}
