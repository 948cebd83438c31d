import type { MikroORM } from '@mikro-orm/postgresql';
import { Gauge } from 'prom-client';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import { queueDepths } from './job-stats.repository.js';
import type { QueueDepth } from './job-stats.repository.js';

/** Whoever asks more often gets the same numbers: counting a long queue is work. */
const FRESH_MS = 5_000;
const STATES = ['waiting', 'scheduled', 'running', 'failed'] as const;

/**
 * Adds how long the queue is. It is one queue, so every process tells the same: a dashboard takes the maximum, not the
 * sum. While the database is away these are missing, and the others are there.
 */
export function collectQueueMetrics({ registry }: Metrics, orm: MikroORM, log: Logger): void {
  let read: { readonly at: number; readonly depths: Promise<QueueDepth[]> } | undefined;
  const depths = () => {
    const now = performance.now();
    if (!read || now - read.at > FRESH_MS) {
      const found = queueDepths(orm.em.fork()).catch((error: unknown) => {
        log.debug({ err: error }, 'the queue could not be counted');
        return [];
      });
      read = { at: now, depths: found };
    }
    return read.depths;
  };
  new Gauge({
    name: 'licensing_jobs',
    help: 'Jobs in the queue, by task and state; the same in every process.',
    labelNames: ['task', 'state'],
    aggregator: 'max',
    registers: [registry],
    async collect() {
      this.reset();
      for (const depth of await depths()) {
        for (const state of STATES) this.set({ task: depth.task, state }, depth[state]);
      }
    },
  });
  new Gauge({
    name: 'licensing_job_oldest_waiting_seconds',
    help: 'For how long the oldest waiting job has been due, by task; the same in every process.',
    labelNames: ['task'],
    aggregator: 'max',
    registers: [registry],
    async collect() {
      this.reset();
      for (const { task, oldestWaitingSeconds } of await depths()) {
        if (oldestWaitingSeconds !== null) this.set({ task }, oldestWaitingSeconds);
      }
    },
  });
}
