import type { MikroORM } from '@mikro-orm/postgresql';
import { isConnectionLost } from '../db/database-errors.js';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import type { FinishedRun } from './job-run.js';
import { insertJobRuns } from './job-run.repository.js';

const BATCH = 1_000;
const BUFFER_MAX = 50_000;
const FLUSH_EVERY_MS = 1_000;

interface RecorderOptions {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/**
 * Gathers finished runs beside the jobs and writes them in batches, at most a second later, and all of them at
 * shutdown. When the database can't keep up and the buffer is full, runs that succeeded are left out and counted; one
 * that failed is always kept. (They can't pile up: without the database no job runs.)
 */
export class JobRunRecorder {
  readonly #options: RecorderOptions;
  readonly #timer: NodeJS.Timeout;
  #buffer: FinishedRun[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  add(run: FinishedRun): void {
    const { task, outcome } = run;
    const { metrics } = this.#options;
    metrics.jobDuration.observe({ task, outcome }, run.durationMs / 1000);
    metrics.jobWait.observe({ task }, Math.max(run.startedAt.getTime() - run.dueAt.getTime(), 0) / 1000);
    // From 0 on: Prometheus sees no increase of what begins with 1.
    metrics.jobRepeats.inc({ task }, run.attempt > 1 ? 1 : 0);
    metrics.jobRunsDropped.inc({ task }, 0);
    if (this.#buffer.length >= BUFFER_MAX && outcome === 'succeeded') {
      metrics.jobRunsDropped.inc({ task });
      return;
    }
    this.#buffer.push(run);
    if (this.#buffer.length % BATCH === 0) void this.flush();
  }

  /** Writes everything gathered so far; one batch after another. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Stops the timer and writes the rest. After the last job. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    const runs = this.#buffer.length;
    if (runs > 0)
      this.#options.log.warn({ runs }, 'The database is away; the history of jobs lacks their last runs');
  }

  async #write(): Promise<void> {
    const { orm, log, metrics } = this.#options;
    let size = BATCH;
    while (this.#buffer.length > 0) {
      const batch = this.#buffer.splice(0, size);
      const [first] = batch;
      try {
        await insertJobRuns(orm.em.fork(), batch);
        size = Math.min(size * 2, BATCH);
      } catch (error) {
        if (isConnectionLost(error)) {
          this.#buffer.unshift(...batch);
          log.warn(
            { err: error, waiting: this.#buffer.length },
            'the history of jobs waits for the database',
          );
          return;
        }
        if (first && batch.length === 1) {
          log.error({ err: error, jobId: first.jobId, task: first.task }, 'a run is missing in the history');
          metrics.jobRunsDropped.inc({ task: first.task });
        } else {
          // One that the database refuses must not take the others with it: it is found by halves.
          this.#buffer.unshift(...batch);
          size = Math.ceil(batch.length / 2);
        }
      }
    }
  }
}
