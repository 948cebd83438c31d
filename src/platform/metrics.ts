import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Pool } from 'pg';

/**
 * What a process counts about itself, for Prometheus. A metric is named here and counted where it happens, through the
 * context: `ctx.metrics.webhookDeliveries.inc({ outcome: 'delivered' })`. Labels take few and fixed values, never what
 * a caller sent: each combination is kept for as long as the process runs.
 */
export interface Metrics {
  readonly registry: Registry;
  /** As Prometheus reads it: this process' metrics, or those of all processes of the server. */
  text: () => Promise<string>;
  /** `route` is the pattern (`/download/:token`), never the path. Seconds. */
  readonly httpDuration: Histogram<'method' | 'route' | 'code'>;
  /** Validations that were answered, by the verdict's code; by whichever way they came. */
  readonly verdicts: Counter<'code'>;
  /**
   * Facts that a validation asked the memory for: `hit`; `miss`, loaded from the database; `joined`, waited for another's
   * load; `stale`, found to hold no longer when the verdict was recorded, and loaded again.
   */
  readonly factsLookups: Counter<'outcome'>;
  /** How many questions one statement answered, by what gathers them. */
  readonly batchSize: Histogram<'batch'>;
  /** Rows of the request log given up: the buffer was full, or the database refused them. */
  readonly requestLogDropped: Counter;
  /** Each run of a job. Seconds. */
  readonly jobDuration: Histogram<'task' | 'outcome'>;
  /** From the moment a job was due to its start. Seconds. */
  readonly jobWait: Histogram<'task'>;
  /** Runs that were not a job's first. */
  readonly jobRepeats: Counter<'task'>;
  /** Runs that the history lacks: successes that could not be written fast enough, rows that were refused. */
  readonly jobRunsDropped: Counter<'task'>;
  /** Attempts to deliver, by how they ended. */
  readonly webhookDeliveries: Counter<'outcome'>;
  /** Lists that a replica could have answered, by whether it did: `replica`, or why not: `behind`, `away`. */
  readonly replicaReads: Counter<'outcome'>;
  /** Requests that were refused, by the policy or lock that did it. */
  readonly requestsLimited: Counter<'policy'>;
  /** Requests that the shared counters could not count; this process counted them for itself. */
  readonly limitStoreMisses: Counter;
  /** WebSockets and event streams that are open now. */
  readonly subscriptionConnections: Gauge<'transport'>;
  /** Subscriptions that ended rather than have a gap. */
  readonly subscriptionsCut: Counter<'reason'>;
}

const HTTP_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const JOB_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800];

/** A registry of its own for each app: several live in one process when they are tested. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    text: () => registry.metrics(),
    httpDuration: new Histogram({
      name: 'licensing_http_request_duration_seconds',
      help: 'Requests by route and status.',
      labelNames: ['method', 'route', 'code'],
      buckets: HTTP_BUCKETS,
      registers,
    }),
    verdicts: new Counter({
      name: 'licensing_verdicts_total',
      help: 'Validations that this process answered, by code.',
      labelNames: ['code'],
      registers,
    }),
    factsLookups: new Counter({
      name: 'licensing_facts_lookups_total',
      help: 'Facts of validations that this process asked its memory for: hit, miss, joined or stale.',
      labelNames: ['outcome'],
      registers,
    }),
    batchSize: new Histogram({
      name: 'licensing_batch_size',
      help: 'How many questions one statement of this process answered, by what gathers them.',
      labelNames: ['batch'],
      buckets: BATCH_BUCKETS,
      registers,
    }),
    requestLogDropped: new Counter({
      name: 'licensing_request_log_dropped_total',
      help: 'Rows of the request log that this process gave up, as the buffer was full or the database refused them.',
      registers,
    }),
    jobDuration: new Histogram({
      name: 'licensing_job_duration_seconds',
      help: 'Runs of jobs of this process, by task and outcome.',
      labelNames: ['task', 'outcome'],
      buckets: JOB_BUCKETS,
      registers,
    }),
    jobWait: new Histogram({
      name: 'licensing_job_wait_seconds',
      help: 'From the moment a job was due to its start in this process.',
      labelNames: ['task'],
      buckets: JOB_BUCKETS,
      registers,
    }),
    jobRepeats: new Counter({
      name: 'licensing_job_repeats_total',
      help: "Runs in this process that were not their job's first attempt.",
      labelNames: ['task'],
      registers,
    }),
    jobRunsDropped: new Counter({
      name: 'licensing_job_runs_dropped_total',
      help: 'Runs that the history lacks: successes that could not be written fast enough, rows that were refused.',
      labelNames: ['task'],
      registers,
    }),
    webhookDeliveries: new Counter({
      name: 'licensing_webhook_deliveries_total',
      help: 'Attempts of this process to deliver a webhook, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    replicaReads: new Counter({
      name: 'licensing_replica_reads_total',
      help: 'Lists that asked for a replica, by outcome: replica, or the primary since it was behind or away.',
      labelNames: ['outcome'],
      registers,
    }),
    requestsLimited: new Counter({
      name: 'licensing_requests_limited_total',
      help: 'Requests that this process refused with 429, by the policy or lock that did it.',
      labelNames: ['policy'],
      registers,
    }),
    limitStoreMisses: new Counter({
      name: 'licensing_limit_store_misses_total',
      help: 'Requests that the shared rate limits could not count; this process counted them for itself.',
      registers,
    }),
    subscriptionConnections: new Gauge({
      name: 'licensing_subscription_connections',
      help: 'WebSockets and event streams of this process that are open now.',
      labelNames: ['transport'],
      registers,
    }),
    subscriptionsCut: new Counter({
      name: 'licensing_subscriptions_cut_total',
      help: 'Subscriptions of this process that were ended rather than have a gap, by reason.',
      labelNames: ['reason'],
      registers,
    }),
  };
}

/** Adds what Node knows of the process: memory, processor time, garbage collection, the event loop's lag. */
export function collectProcessMetrics({ registry }: Metrics): void {
  collectDefaultMetrics({ register: registry });
}

/** Adds how many database connections this process holds, and how many requests wait for one. */
export function collectPoolMetrics({ registry }: Metrics, pool: Pool): void {
  new Gauge({
    name: 'licensing_database_connections',
    help: 'Database connections of this process, and (waiting) who waits for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
}
