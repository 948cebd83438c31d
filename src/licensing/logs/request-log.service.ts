import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { isConnectionLost } from '../../platform/db/database-errors.js';
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

  async #insert(batch: readonly RequestLogEntry[]): Promise<void> {
    await sql`
      with counted as (${countValidations(batch)})
      insert into request_log
        (request_id, method, path, status, code, license, product, customer, ip, agent, duration_ms, created_at)
      select r."requestId", r.method, r.path, r.status, r.code, r.license, r.product, r.customer, r.ip, r.agent,
             r."durationMs", r."createdAt"
        from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb) as r (
          "requestId" text, method text, path text, status integer, code text, license text, product text,
          customer text, ip text, agent text, "durationMs" real, "createdAt" timestamptz
        )`.execute(this.#orm.em.fork().getKysely());
  }
}

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
