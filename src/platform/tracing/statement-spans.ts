import { AsyncResource } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';

/** A statement that is about to be sent. Its parameters are not told. */
export interface Statement {
  /** May hold values: not everything is a parameter. */
  readonly text: string;
  /** Of one that connections keep prepared. */
  readonly name: string | undefined;
  /** Its first word, e.g. `SELECT`. */
  readonly operation: string;
}

/** Told when a statement is sent; returns what is to be told when it has ended. */
export type OnStatement = (statement: Statement) => ((error?: unknown) => void) | undefined;

type Connected = Parameters<Pool['connect']>[0];
type Callback = (error: unknown, result: unknown) => void;

/** Listens at the connections beneath everything, so that no statement escapes: entities, kysely, plain ones. */
export function watchStatements(pool: Pool, onStatement: OnStatement): void {
  pool.on('connect', (client) => {
    watchClient(client, onStatement);
  });
  const connect = pool.connect.bind(pool) as (connected?: Connected) => unknown;
  // Who waits for a connection is called by whoever gives one back, and would continue that one's trace.
  pool.connect = ((connected?: Connected) =>
    connected ? connect(AsyncResource.bind(connected)) : connect()) as Pool['connect'];
}

function watchClient(client: PoolClient, onStatement: OnStatement): void {
  const send = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((...args: unknown[]) => {
    const [query] = args;
    const { text, name } = (typeof query === 'string' ? { text: query } : query) as Partial<Statement>;
    const ended = onStatement({ text: text ?? '', name, operation: operationOf(text ?? '') });
    if (!ended) return send(...args);
    const last = args.at(-1);
    if (typeof last === 'function') {
      const callback = last as Callback;
      return send(...args.slice(0, -1), (error: unknown, result: unknown) => {
        ended(error);
        callback(error, result);
      });
    }
    const sent = send(...args);
    if (sent instanceof Promise)
      sent.then(() => {
        ended();
      }, ended);
    // A cursor: it is asked for rows for as long as its reader likes.
    else ended();
    return sent;
  }) as typeof client.query;
}

function operationOf(text: string): string {
  return /[a-z]+/i.exec(text.slice(0, 200))?.[0].toUpperCase() ?? 'SQL';
}
