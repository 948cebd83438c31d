import { setTimeout as delay } from 'node:timers/promises';
import { Logger as WorkerLogger, run } from 'graphile-worker';
import type { ParsedCronItem, Runner } from 'graphile-worker';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool, PoolClient } from 'pg';
import type { Settings } from '../src/config.js';
import { Dispatcher } from '../src/licensing/webhooks/delivery/dispatcher.service.js';
import type { Clock } from '../src/platform/clock.js';
import type { Caller } from '../src/platform/context.js';
import { nativePool, ping } from '../src/platform/db/orm.js';
import { registerCronJobs } from '../src/platform/jobs/cron-job.service.js';
import { JobRunRecorder } from '../src/platform/jobs/job-run-recorder.service.js';
import { RunnerHeartbeat } from '../src/platform/jobs/runner-heartbeat.js';
import type { Logger } from '../src/platform/logger.js';
import type { Metrics } from '../src/platform/metrics.js';
import { cronItems, cronRows } from './crontab.js';
import { createTaskList } from './task-list.js';

export interface WorkerOptions {
  readonly orm: MikroORM;
  /** The same database past a pooler: the runner listens, on connections that must stay its own. */
  readonly direct: MikroORM;
  readonly config: Settings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** What the clock enqueues; the crontab unless it says otherwise. */
  readonly scheduled?: ParsedCronItem[];
}

export interface Worker {
  /** Takes no more jobs, lets the running ones end, and resolves. */
  stop(): Promise<void>;
}

const CONCURRENCY = 4;
/** How often a stop that takes its time looks whether the database answers. */
const STOP_LOOK_MS = 3_000;
/** How long it may take to answer then: it may be busy. */
const ANSWER_MS = 10_000;
const WORKER: Caller = { name: 'worker', id: 'worker', scopes: new Set(['*']), authenticated: true };

/** Starts the job runner on the pool of the direct way. */
export async function startWorker({
  orm,
  direct,
  config,
  clock,
  log,
  metrics,
  scheduled = cronItems(),
}: WorkerOptions): Promise<Worker> {
  const base = {
    caller: WORKER,
    source: 'job',
    requestId: null,
    clock,
    log,
    metrics,
    settings: config,
  } as const;
  const runs = new JobRunRecorder({ orm, log, metrics });
  await registerCronJobs(orm.em.fork(), base, cronRows());
  const heartbeat = new RunnerHeartbeat({ orm, log, deadAfterSeconds: config.jobs.deadAfterSeconds });
  await heartbeat.watch();
  // Jobs say when webhooks are due, and the dispatcher sends them: a target that hangs must not take a job's place.
  const dispatcher = new Dispatcher({ orm, ctx: base });
  const deliverWebhooks = () => {
    dispatcher.wake();
  };
  const runner = await run({
    pgPool: forgiving(await nativePool(direct)),
    taskList: createTaskList(() => ({ ...base, em: orm.em.fork(), deliverWebhooks }), runs),
    parsedCronItems: scheduled,
    preset: { plugins: [signOfLife(heartbeat)] },
    concurrency: CONCURRENCY,
    // The process' own shutdown decides the order: first the gateway, then the worker, then the database.
    noHandleSignals: true,
    logger: new WorkerLogger((scope) => (level, message, meta) => {
      log[LEVELS[level]]({ ...scope, ...meta }, message);
    }),
  });
  // A runner that dies takes the promise with it; the process' own checks notice (readiness), nothing goes unhandled.
  runner.promise.catch((error: unknown) => {
    log.error({ err: error }, 'the job runner stopped');
    void heartbeat.abandon();
  });
  return {
    stop: async () => {
      await Promise.all([stopInTime(runner, orm, log), dispatcher.stop()]);
      await heartbeat.stop();
      await runs.close();
    },
  };
}

/**
 * Lets running jobs end, however long that takes; while the database is away they can't, and the runner's own attempts
 * to reach it come at ever longer intervals. Then whoever sees this runner silent takes its jobs over.
 */
async function stopInTime(runner: Runner, orm: MikroORM, log: Logger): Promise<void> {
  const stopped = runner.stop().then(() => true);
  while (!(await Promise.race([stopped, delay(STOP_LOOK_MS, false, { ref: false })]))) {
    const answers = await Promise.race([
      ping(orm.em.fork()).then(
        () => true,
        () => false,
      ),
      delay(ANSWER_MS, false, { ref: false }),
    ]);
    if (answers) continue;
    stopped.catch(() => undefined);
    log.warn('The database is away, so the job runner is not waited for');
    return;
  }
}

/** No job is taken before the runner has given its first sign of life. */
function signOfLife(heartbeat: RunnerHeartbeat): GraphileConfig.Plugin {
  return {
    name: 'sign-of-life',
    version: '1.0.0',
    worker: { hooks: { startWorker: (_ctx, { worker }) => heartbeat.begin(worker.workerPool.id) } },
  };
}

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: Release) => void;
type Release = (error?: Error | boolean) => void;

/**
 * When its connection breaks, graphile-worker 0.18 gives the client it listens with back twice, in a promise that
 * nobody awaits. The pool throws at that, which would end the process each time the database restarts.
 */
function forgiving(pool: Pool): Pool {
  const connect = (connected?: Connected) => {
    if (!connected) return pool.connect();
    pool.connect((error, client, release) => {
      connected(error, client, (reason) => {
        try {
          release(reason);
        } catch {
          // It is back already, and that is all that was wanted.
        }
      });
    });
    return undefined;
  };
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') return connect;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

/** graphile-worker reports every job at info; that is our debug. */
const LEVELS = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;
