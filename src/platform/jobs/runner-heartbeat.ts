import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { isConnectionLost } from '../db/database-errors.js';
import type { Logger } from '../logger.js';
import type { FinishedRun } from './job-run.js';
import { insertJobRuns } from './job-run.repository.js';
import { freeJobsOf } from './lost-runs.repository.js';
import type { DeadRunner } from './lost-runs.repository.js';

export interface RunnerHeartbeatOptions {
  readonly orm: MikroORM;
  readonly log: Logger;
  /** How long a job runner may be silent before it is taken for dead. */
  readonly deadAfterSeconds: number;
}

/** Chances to be heard before silence means death: one lost sign of life is none. */
const BEATS = 3;

/**
 * A sign of life that a job runner leaves in the database, and the eye on that of the others. The queue itself keeps
 * the jobs of a killed process locked for four hours.
 *
 *   (no row) ──begin, before the first job──► alive ──beat──► alive
 *   alive    ──stop, after the last job──► (no row); as if it were silent, when the database is away
 *   alive    ──silent too long──► (no row)   by whoever sees it first; its jobs are free from then on
 *
 * Time is the database's: processes may have other ideas of it. A runner that was only held up may be taken for dead;
 * it goes on, its jobs run twice, and each run checks the state that it changes (the history then has that run twice: as
 * lost, and as it ended). An attempt that was cut short counts,
 * so that a job which kills its process does not do so forever.
 */
export class RunnerHeartbeat {
  readonly #options: RunnerHeartbeatOptions;
  readonly #stopping = new AbortController();
  #begun: Promise<void> | undefined;
  #id: string | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: RunnerHeartbeatOptions) {
    this.#options = options;
  }

  /** Frees the jobs of the dead, now and from now on. */
  async watch(): Promise<void> {
    await this.#freeJobsOfTheDead();
    this.#loop = this.#run();
  }

  /** Gives the first sign of life; `id` is what the runner locks its jobs with. Any number of times. */
  begin(id: string): Promise<void> {
    this.#id = id;
    this.#begun ??= this.#beat(id).then(
      () => undefined,
      (error: unknown) => {
        this.#begun = undefined;
        throw error;
      },
    );
    return this.#begun;
  }

  /** The runner has let go of its jobs, or could not: while the database is away, that is left to the others. */
  async stop(): Promise<void> {
    await this.abandon();
    const { orm, log, deadAfterSeconds } = this.#options;
    try {
      await sql`delete from job_runner where id = ${this.#id ?? ''}`.execute(orm.em.fork().getKysely());
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      log.warn(
        { err: error, runner: this.#id },
        `The database is away, so this job runner could not sign off; what jobs it still holds are taken over ${deadAfterSeconds} s after its last sign of life`,
      );
    }
  }

  /** The runner has failed, and may still hold jobs: whoever sees it silent frees them. */
  async abandon(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { log, deadAfterSeconds } = this.#options;
    const intervalMs = (deadAfterSeconds * 1000) / BEATS;
    for (;;) {
      await delay(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        if (this.#id !== undefined && (await this.#beat(this.#id)) === 'first') {
          log.warn(
            { runner: this.#id },
            'This job runner was silent too long; others have taken its jobs over',
          );
        }
        await this.#freeJobsOfTheDead();
      } catch (error) {
        log.warn({ err: error }, 'The job runner could not give its sign of life');
      }
    }
  }

  /** Resolves to whether there was a row already. */
  async #beat(id: string): Promise<'first' | 'again'> {
    const { rows } = await sql<{ beat: 'first' | 'again' }>`
      insert into job_runner (id, host, pid) values (${id}, ${hostname()}, ${process.pid})
      on conflict (id) do update set seen_at = now()
      returning case when xmax = 0 then 'first' else 'again' end as beat`.execute(
      this.#options.orm.em.fork().getKysely(),
    );
    return rows[0]?.beat ?? 'again';
  }

  /** One transaction: whoever forgets a runner frees its jobs, and tells which runs were lost. */
  async #freeJobsOfTheDead(): Promise<void> {
    const { orm, log, deadAfterSeconds } = this.#options;
    const dead = await orm.em.fork().transactional(async (em) => {
      const { rows } = await sql<Omit<DeadRunner, 'seenAt'> & { seenAt: string }>`
        delete from job_runner where id in (
          select id from job_runner where seen_at < now() - make_interval(secs => ${deadAfterSeconds})
             for update skip locked)
        returning id, host, pid, seen_at as "seenAt"`.execute(em.getKysely());
      const runners = rows.map((row) => ({ ...row, seenAt: new Date(row.seenAt) }));
      const lost: FinishedRun[] = [];
      for (const runner of runners) lost.push(...(await freeJobsOf(em, runner)));
      await this.#record(em, lost);
      return runners.map((runner) => ({
        ...runner,
        lostRuns: lost.filter(({ worker }) => worker === runner.id).length,
      }));
    });
    for (const runner of dead) log.warn(runner, 'A job runner is dead; its jobs go to the others');
  }

  /** That jobs go on matters more than that the history has every run. */
  async #record(em: EntityManager, lost: readonly FinishedRun[]): Promise<void> {
    if (lost.length === 0) return;
    try {
      await em.transactional((savepoint) => insertJobRuns(savepoint, lost));
    } catch (error) {
      if (isConnectionLost(error)) throw error;
      this.#options.log.error({ err: error, runs: lost.length }, 'Lost runs are missing in the history');
    }
  }
}
