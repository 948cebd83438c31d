import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { isConnectionLost } from '../../platform/db/database-errors.js';
import { plainArray, textArray } from '../../platform/db/array-text.js';
import type { Logger } from '../../platform/logger.js';
import type { Metrics } from '../../platform/metrics.js';

/** One handled request, as `GET /logs?type=requests` shows it. Keys are masked, secrets never stand here. */
export interface RequestLogEntry {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: string | null;
  readonly license: string | null;
  readonly product: string | null;
  readonly customer: string | null;
  readonly ip: string;
  readonly agent: string;
  readonly durationMs: number;
  readonly createdAt: Date;
  /** True when the code is a validation's verdict, whichever road it came by. */
  readonly isVerdict: boolean;
}

const BATCH = 500;
const BUFFER_MAX = 20_000;
const FLUSH_EVERY_MS = 1_000;

/**
 * Gathers request log rows off the request path and writes them in batches. Bounded: when the database is away and
 * the buffer is full, the oldest rows go and are counted. A row is written at most a second after its request, and
 * all of them at shutdown.
 */
export class RequestLog {
  readonly #orm: MikroORM;
  readonly #log: Logger;
  readonly #dropped: Metrics['requestLogDropped'];
  readonly #timer: NodeJS.Timeout;
  #buffer: RequestLogEntry[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(orm: MikroORM, log: Logger, metrics: Metrics) {
    this.#orm = orm;
    this.#log = log;
    this.#dropped = metrics.requestLogDropped;
    this.#timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  add(entry: RequestLogEntry): void {
    this.#buffer.push(entry);
    if (this.#buffer.length > BUFFER_MAX) {
      this.#buffer.shift();
      this.#dropped.inc();
    }
    if (this.#buffer.length === BATCH) void this.flush();
  }

  /** Writes everything gathered so far; one batch after another. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Stops the timer and writes the rest. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    const rows = this.#buffer.length;
    if (rows > 0) this.#log.warn({ rows }, 'The database is away; the request log lacks the last requests');
  }

  async #write(): Promise<void> {
    while (this.#buffer.length > 0) {
      const batch = this.#buffer.slice(0, BATCH);
      try {
        await this.#insert(batch);
      } catch (error) {
        if (isConnectionLost(error)) {
          const waiting = this.#buffer.length;
          this.#log.warn({ err: error, waiting }, 'request log rows wait for the database');
          return;
        }
        // Rows that the database refuses would be refused for ever, and keep all later ones waiting.
        this.#log.error({ err: error, rows: batch.length }, 'request log rows were refused and are lost');
        this.#dropped.inc(batch.length);
      }
      // Rows that were pushed out meanwhile were the oldest, so the batch may be shorter by now.
      const written = new Set(batch);
      this.#buffer = this.#buffer.filter((entry) => !written.has(entry));
    }
  }

  /** Without waiting for the disk: these rows are nobody's acknowledgement, and the next commit flushes them, too. */
  async #insert(batch: readonly RequestLogEntry[]): Promise<void> {
    const texts = (name: TextColumn) => sql`${textArray(batch.map((entry) => entry[name]))}::text[]`;
    await sql`
      with relaxed as (select set_config('synchronous_commit', 'off', true)),
      counted as (${countValidations(batch)})
      insert into request_log
        (request_id, method, path, code, license, product, customer, ip, agent, status, duration_ms, created_at)
      select r.* from relaxed, unnest(
        ${texts('requestId')}, ${texts('method')}, ${texts('path')}, ${texts('code')}, ${texts('license')},
        ${texts('product')}, ${texts('customer')}, ${texts('ip')}, ${texts('agent')},
        ${plainArray(batch.map(({ status }) => status))}::integer[],
        ${plainArray(batch.map(({ durationMs }) => durationMs))}::real[],
        ${textArray(batch.map(({ createdAt }) => createdAt.toISOString()))}::timestamptz[]) as r`.execute(
      this.#orm.em.fork().getKysely(),
    );
  }
}

type TextColumn = Exclude<keyof RequestLogEntry, 'status' | 'durationMs' | 'createdAt' | 'isVerdict'>;

const HOUR_MS = 3_600_000;

/** Adds the batch's verdicts to the hours they fell in; rows in key order, so that two gateways never deadlock. */
function countValidations(batch: readonly RequestLogEntry[]) {
  const counts = new Map<string, { readonly hour: Date; readonly code: string; count: number }>();
  for (const { isVerdict, code, createdAt } of batch) {
    if (!isVerdict || code === null) continue;
    const hour = Math.floor(createdAt.getTime() / HOUR_MS) * HOUR_MS;
    const key = `${hour} ${code}`;
    const counted = counts.get(key);
    if (counted) counted.count += 1;
    else counts.set(key, { hour: new Date(hour), code, count: 1 });
  }
  const rows = [...counts.values()];
  return sql`
    insert into validation_hour as h (hour, code, count)
    select * from unnest(${rows.map(({ hour }) => hour.toISOString())}::timestamptz[], ${rows.map(({ code }) => code)}::text[],
                         ${rows.map(({ count }) => count)}::integer[]) as v (hour, code, count)
     order by hour, code
    on conflict (hour, code) do update set count = h.count + excluded.count`;
}
