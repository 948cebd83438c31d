import 'reflect-metadata';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { MikroORM } from '@mikro-orm/postgresql';
import { pino } from 'pino';
import { migrations } from '../../migrations/index.js';
import { createApp } from '../../src/app.js';
import { botEntities } from '../../src/bot/entities.js';
import { loadConfig } from '../../src/config.js';
import type { Settings } from '../../src/config.js';
import { createApiKey } from '../../src/licensing/api-keys/api-key.service.js';
import { licensingEntities } from '../../src/licensing/entities.js';
import type { ActionContext } from '../../src/platform/context.js';
import { LISTEN_BACKLOG } from '../../src/start.js';
import { createOrm } from '../../src/platform/db/orm.js';
import type { Logger } from '../../src/platform/logger.js';
import { createMetrics } from '../../src/platform/metrics.js';
import { fakeClock } from './clock.js';
import { closeAfterwards, createDatabase, query } from './database.js';
import { graphqlClient } from './graphql.js';
import type { GraphqlClient } from './graphql.js';
import { restClient } from './rest.js';
import type { RestClient } from './rest.js';
import { seeder } from './seed.js';
import type { Seeder } from './seed.js';

export interface TestApp {
  readonly url: string;
  /** Of the bot API. */
  readonly botUrl: string;
  readonly databaseUrl: string;
  readonly orm: MikroORM;
  readonly config: Settings;
  /** What services called directly get, with every scope. */
  readonly ctx: ActionContext;
  readonly clock: ReturnType<typeof fakeClock>;
  /** A key with every scope. */
  readonly apiKey: string;
  /** REST with {@link apiKey}. */
  readonly rest: RestClient;
  /** REST without a credential. */
  readonly anonymous: RestClient;
  /** The bot API with {@link AUTH_SECRET}. */
  readonly bot: RestClient;
  readonly graphql: GraphqlClient;
  readonly seed: Seeder;
  /** REST with a key of just these scopes. */
  restAs(...scopes: string[]): Promise<RestClient>;
  /** The same for the bot API. */
  botAs(...scopes: string[]): Promise<RestClient>;
  sql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Waits for everything gathered off the request path to be stored. */
  flush(): Promise<void>;
}

export interface TestAppOptions {
  /** Shares the database of another app: a second gateway. */
  readonly databaseUrl?: string;
  readonly env?: Record<string, string>;
  readonly log?: Logger;
  /** How often the API keys of open subscriptions are looked at. */
  readonly keyCheckMs?: number;
}

/** The bot API's bearer in every test. */
export const AUTH_SECRET = 'the-bearer-of-the-bot-API-in-every-test';

/** The moment at which every test begins, unless it moves the clock. */
export const START = new Date('2026-01-15T12:00:00.000Z');

/** The real gateway on a real port over a database of its own; closed when the test file has ended. */
export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  const databaseUrl = options.databaseUrl ?? (await createDatabase());
  const loaded = loadConfig({
    // A test asks more of one license in one frozen minute than anyone should; those of the limits turn them on.
    env: { DATABASE_URL: databaseUrl, SERVER_PORT: '0', LIMITS_ENABLED: 'false', ...options.env },
    cwd: '/',
  });
  const log = options.log ?? pino({ level: 'silent' });
  const clock = fakeClock(START);
  const orm = createOrm({
    url: databaseUrl,
    poolMax: 10,
    entities: [...licensingEntities, ...botEntities],
    migrations,
    log,
  });
  closeAfterwards(() => orm.close(true));
  const config: Settings = {
    ...loaded,
    secretKey: loaded.secretKey ?? 'the secret key of every test, 32+ chars',
  };
  const metrics = createMetrics();
  const app = await createApp({
    config,
    orm,
    clock,
    log,
    metrics,
    authSecret: AUTH_SECRET,
    ...(options.keyCheckMs === undefined ? {} : { keyCheckMs: options.keyCheckMs }),
    readiness: () => Promise.resolve({ ready: true }),
  });
  const server = app.server.listen({ port: 0, host: '127.0.0.1', backlog: LISTEN_BACKLOG });
  const botServer = app.botServer.listen({ port: 0, host: '127.0.0.1', backlog: LISTEN_BACKLOG });
  for (const each of [server, botServer]) if (!each.listening) await once(each, 'listening');
  closeAfterwards(async () => {
    for (const each of [server, botServer]) {
      each.closeAllConnections();
      each.close();
    }
    await app.close();
  });
  const caller = { name: 'test', id: 'test', scopes: new Set(['*']), authenticated: true };
  const ctx: ActionContext = {
    ...{ caller, clock, log, metrics },
    settings: config,
    source: 'cli',
    requestId: null,
  };
  const issueKey = async (scopes: string[]) => {
    const issued = await orm.em
      .fork()
      .transactional((em) => createApiKey(em, ctx, { name: scopes.join(' '), scopes }));
    return issued.plain;
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const botUrl = `http://127.0.0.1:${(botServer.address() as AddressInfo).port}`;
  const apiKey = await issueKey(['*']);
  const rest = restClient(url, apiKey);
  return {
    ...{ url, botUrl, databaseUrl, orm, config, ctx, clock, apiKey, rest },
    anonymous: restClient(url, undefined),
    bot: restClient(botUrl, AUTH_SECRET),
    graphql: graphqlClient(url, apiKey),
    seed: seeder(rest),
    restAs: async (...scopes) => restClient(url, await issueKey(scopes)),
    botAs: async (...scopes) => restClient(botUrl, await issueKey(scopes)),
    sql: (text, values) => query(databaseUrl, text, values),
    flush: () => app.flush(),
  };
}
