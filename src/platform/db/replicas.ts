import { setTimeout as delay } from 'node:timers/promises';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';

export interface ReplicasOptions {
  readonly primary: MikroORM;
  /** One for each streaming replica. */
  readonly replicas: readonly MikroORM[];
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'replicaReads'>;
}

/** How long a reader waits for a replica that is a moment behind, and how often it looks. */
const PATIENCE_MS = 100;
const LOOK_MS = 5;
/** How long a replica may take to say how far it is. */
const ANSWER_MS = 1_000;
/** How long one that was behind, or away, is left alone. */
const BEHIND_REST_MS = 1_000;
const AWAY_REST_MS = 5_000;

interface Replica {
  readonly orm: MikroORM;
  readonly number: number;
  restsUntil: number;
  isAway: boolean;
  /** Undefined until it has been looked at. */
  isOurs: boolean | undefined;
}

/**
 * Streaming replicas, for reads of many rows. A read gets one that has replayed everything which the primary had
 * flushed when the read was asked for, and the primary where there is none such: so whatever was acknowledged before,
 * by whichever process, is seen, and a replica that lags or is away costs speed alone.
 *
 *   good   ──not caught up within {@link PATIENCE_MS}──► resting for 1 s
 *   good   ──refuses, is silent, was promoted, or belongs to another database──► resting for 5 s
 *   resting ──time──► good
 */
export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #replicas: readonly Replica[];
  #turn = 0;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.#replicas = options.replicas.map((orm, index) => ({
      ...{ orm, number: index + 1, restsUntil: 0, isAway: false, isOurs: undefined },
    }));
  }

  /** An entity manager of a replica that is up to date, or undefined: ask the primary. Rejects when that is away. */
  async caughtUp(): Promise<EntityManager | undefined> {
    const replica = this.#next();
    if (!replica) return undefined;
    const { primary, metrics } = this.#options;
    const { rows } = await sql<{ flushed: string }>`
      select pg_current_wal_flush_lsn()::text as flushed`.execute(primary.em.fork().getKysely());
    const outcome = await this.#reaches(replica, rows[0]?.flushed ?? '');
    metrics.replicaReads.inc({ outcome });
    return outcome === 'replica' ? replica.orm.em.fork() : undefined;
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map(({ orm }) => orm.close(true)));
  }

  /** Each in its turn, those that rest left out. */
  #next(): Replica | undefined {
    const now = performance.now();
    const good = this.#replicas.filter(({ restsUntil }) => restsUntil <= now);
    return good[this.#turn++ % Math.max(good.length, 1)];
  }

  async #reaches(replica: Replica, position: string): Promise<'replica' | 'behind' | 'away'> {
    const { log } = this.#options;
    try {
      replica.isOurs ??= await inTime(this.#isOurs(replica));
      if (!replica.isOurs) throw new Error('It is no replica of this database');
      const end = performance.now() + PATIENCE_MS;
      while (!(await inTime(hasReplayed(replica.orm, position)))) {
        if (performance.now() >= end) {
          replica.restsUntil = performance.now() + BEHIND_REST_MS;
          return 'behind';
        }
        await delay(LOOK_MS);
      }
    } catch (error) {
      if (!replica.isAway) {
        log.warn(
          { err: error, replica: replica.number },
          'A replica is of no use; lists are read from the primary',
        );
      }
      // It may be another server when it comes back.
      Object.assign(replica, { isAway: true, isOurs: undefined });
      replica.restsUntil = performance.now() + AWAY_REST_MS;
      return 'away';
    }
    if (replica.isAway) log.info({ replica: replica.number }, 'A replica is back');
    replica.isAway = false;
    return 'replica';
  }

  /** Positions of two databases can be compared, and mean nothing. */
  async #isOurs({ orm }: Replica): Promise<boolean> {
    const [ours, its] = await Promise.all([systemOf(this.#options.primary), systemOf(orm)]);
    return ours === its;
  }
}

async function systemOf(orm: MikroORM): Promise<string> {
  const { rows } = await sql<{ system: string }>`
    select system_identifier::text || ' ' || current_database() as system from pg_control_system()`.execute(
    orm.em.fork().getKysely(),
  );
  return rows[0]?.system ?? '';
}

/** Throws for a server that replays nothing any more: it was promoted, and goes its own way. */
async function hasReplayed(orm: MikroORM, position: string): Promise<boolean> {
  const { rows } = await sql<{ replays: boolean; has: boolean | null }>`
    select pg_is_in_recovery() as replays, pg_last_wal_replay_lsn() >= ${position}::pg_lsn as has`.execute(
    orm.em.fork().getKysely(),
  );
  if (rows[0]?.replays !== true) throw new Error('It is a primary of its own');
  return rows[0].has ?? false;
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = delay(ANSWER_MS, undefined, { signal: done.signal, ref: false }).then(() => {
    throw new Error(`It did not answer within ${ANSWER_MS} ms`);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    done.abort();
    // Whoever lost the race may still fail, and nobody would be there to hear it.
    answer.catch(() => undefined);
    late.catch(() => undefined);
  }
}
