import type { EntityManager } from '@mikro-orm/postgresql';
import type { PubSub } from '../../platform/pubsub/pubsub.js';
import { LOG_TOPIC, findLines, lastLineId } from './log.repository.js';
import type { LineFilter, LogLine } from './log.repository.js';

const PAGE = 500;

/**
 * The log as it grows. Lines are read from the table, and messages only wake it, so that nothing is told twice or left
 * out, and a slow reader costs no memory. An iterator of its own, since an async generator that waits can't be ended.
 */
export class LineTail implements AsyncIterableIterator<LogLine> {
  #read: LogLine[] = [];

  private constructor(
    private readonly em: EntityManager,
    private readonly wakes: AsyncIterableIterator<unknown>,
    private readonly level: LineFilter['level'],
    private after: number,
  ) {}

  /** Begins behind `after`, or now. Throws `UNAVAILABLE` when live messages are away. */
  static async open(
    em: EntityManager,
    pubsub: PubSub,
    { after, level }: Pick<LineFilter, 'after' | 'level'>,
  ): Promise<LineTail> {
    // In this order: what is stored in between wakes it.
    const wakes = await pubsub.subscribe(LOG_TOPIC);
    return new LineTail(em, wakes, level, after ?? (await lastLineId(em)));
  }

  async next(): Promise<IteratorResult<LogLine>> {
    for (;;) {
      if (this.#read.length === 0) {
        this.#read = await findLines(this.em, { after: this.after, level: this.level, limit: PAGE });
      }
      const line = this.#read.shift();
      if (line) {
        this.after = line.id;
        return { done: false, value: line };
      }
      const woken = await this.wakes.next();
      if (woken.done === true) return { done: true, value: undefined };
    }
  }

  async return(): Promise<IteratorResult<LogLine>> {
    await this.wakes.return?.();
    this.#read = [];
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
