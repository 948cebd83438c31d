import type { MikroORM } from '@mikro-orm/postgresql';
import type { PoolClient } from 'pg';
import { nativePool } from '../../src/platform/db/orm.js';

/** Which SQL a program really sends. */
export interface StatementRecorder {
  /** Runs `work` and gives the text of every statement sent meanwhile, `begin` and `commit` included. */
  during(work: () => Promise<unknown>): Promise<string[]>;
  /** Every statement sent so far. */
  readonly all: readonly string[];
}

/** What is written beside whatever is going on, when it suits it: the request log, and the events of validations. */
const OFF_PATH = ['insert into request_log', 'event_is_wanted($1) as yes', 'publish_events($1, $5, $3)'];

/** Listens at the connections beneath the ORM, so that nothing escapes: entities, kysely and transactions alike. */
export async function recordStatements(orm: MikroORM): Promise<StatementRecorder> {
  const all: string[] = [];
  const heard = new WeakSet<PoolClient>();
  const pool = await nativePool(orm);
  pool.on('acquire', (client) => {
    if (heard.has(client)) return;
    heard.add(client);
    const send = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      const [first] = args;
      const text = typeof first === 'string' ? first : (first as { text: string }).text;
      if (!OFF_PATH.some((part) => text.includes(part))) all.push(text);
      return send(...args);
    }) as typeof client.query;
  });
  return {
    all,
    during: async (work) => {
      const from = all.length;
      await work();
      return all.slice(from);
    },
  };
}
