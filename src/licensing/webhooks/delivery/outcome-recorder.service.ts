import type { MikroORM } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import { isConnectionLost, isRetryable } from '../../../platform/db/database-errors.js';
import { noteTargets, recordOutcomes } from './delivery-outcome.repository.js';
import type { Outcome } from './delivery-outcome.repository.js';
import { disableWebhook } from './disable-webhook.service.js';

const BATCH_MAX = 500;
/** Statements under way at once: while they run, the next batch gathers. */
const WRITERS_MAX = 2;
/** A target that goes on succeeding is noted so often: another process may have noted a failure. */
const NOTE_EVERY_MS = 60_000;
/** A target that has only failed for so long is given up. */
const FAILING_DAYS_MAX = 5;

/**
 * Writes outcomes as they come, as many in one statement as there are while the ones before are being written. While
 * the database is away they wait; the leases of their deliveries run on, and whoever takes them then sends them twice.
 */
export class OutcomeRecorder {
  readonly #orm: MikroORM;
  readonly #ctx: ActionContext;
  readonly #onReleased: () => void;
  readonly #writing = new Set<Promise<void>>();
  /** When each target's success was last noted, in ms. */
  readonly #notedWell = new Map<number, number>();
  #waiting: Outcome[] = [];

  /** `onReleased` is told when deliveries that were given back are to be had again. */
  constructor(orm: MikroORM, ctx: ActionContext, onReleased: () => void) {
    this.#orm = orm;
    this.#ctx = ctx;
    this.#onReleased = onReleased;
  }

  add(outcome: Outcome): void {
    this.#waiting.push(outcome);
    this.write();
  }

  /** Begins to write what waits, unless enough is being written. Also called from time to time, after an outage. */
  write(): void {
    while (this.#waiting.length > 0 && this.#writing.size < WRITERS_MAX) {
      const batch = this.#waiting.splice(0, BATCH_MAX);
      const write = this.#write(batch).then((isWritten) => {
        this.#writing.delete(write);
        if (isWritten) this.write();
        else this.#waiting = [...batch, ...this.#waiting];
      });
      this.#writing.add(write);
    }
  }

  /** Resolves when everything is written, or can't be for now. */
  async flush(): Promise<void> {
    this.write();
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  /** False when it is to be tried again: the database is away, or somebody else was in the way. */
  async #write(batch: readonly Outcome[]): Promise<boolean> {
    const { log } = this.#ctx;
    try {
      await this.#record(batch);
      return true;
    } catch (error) {
      if (isConnectionLost(error) || isRetryable(error)) {
        log.warn(
          { err: error, waiting: batch.length },
          'outcomes of webhook deliveries wait for the database',
        );
        return false;
      }
      // They would be refused for ever. Their leases run out, and they are sent again.
      log.error({ err: error, outcomes: batch.length }, 'outcomes of webhook deliveries were refused');
      return true;
    }
  }

  async #record(batch: readonly Outcome[]): Promise<void> {
    const ctx = this.#ctx;
    const em = this.#orm.em.fork();
    const now = ctx.clock.now();
    // Each on its own: what a crash leaves undone of the rest, the next outcome of the target does.
    await recordOutcomes(em, batch, now);
    if (batch.some(({ kind }) => kind === 'released')) this.#onReleased();
    const gone = new Set(batch.filter(({ kind }) => kind === 'gone').map(({ webhookId }) => webhookId));
    for (const id of gone) await disableWebhook(em.fork(), ctx, id, 'GONE');
    const { succeeded, failed } = this.#newsOf(batch, now);
    if (succeeded.length + failed.length === 0) return;
    const since = new Date(now.getTime() - FAILING_DAYS_MAX * 86_400_000);
    const failing = await noteTargets(em, { succeeded, failed }, { now, since });
    for (const id of failing) await disableWebhook(em.fork(), ctx, id, 'FAILING');
  }

  /** Which targets are to be noted: each failure, and successes that this process has not noted just now. */
  #newsOf(batch: readonly Outcome[], now: Date): { succeeded: number[]; failed: number[] } {
    const counted = batch.filter(({ isTest }) => !isTest);
    const succeeded = new Set<number>();
    const failed = new Set<number>();
    for (const { kind, webhookId } of counted) {
      if (kind === 'delivered') succeeded.add(webhookId);
      if (kind === 'failed') failed.add(webhookId);
    }
    for (const id of failed) this.#notedWell.delete(id);
    const isNews = (id: number) => now.getTime() - (this.#notedWell.get(id) ?? 0) >= NOTE_EVERY_MS;
    const news = [...succeeded].filter(isNews);
    for (const id of news) this.#notedWell.set(id, now.getTime());
    return { succeeded: news, failed: [...failed].filter((id) => !succeeded.has(id)) };
  }
}
