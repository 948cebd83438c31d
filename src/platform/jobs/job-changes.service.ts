import type { PubSub } from '../pubsub/pubsub.js';
import type { JobChange } from './job-change.js';

/** What becomes of jobs from now on, those of one task or all. Throws `UNAVAILABLE` when the database is away. */
export async function watchJobs(
  pubsub: PubSub,
  task: string | null | undefined,
): Promise<AsyncIterableIterator<JobChange>> {
  return oneByOne(await pubsub.subscribe<readonly JobChange[]>(task == null ? 'job' : `job:${task}`));
}

/** The members of lists, one after another. No generator: that could not be ended while it waits for the next list. */
function oneByOne<T>(lists: AsyncIterableIterator<readonly T[]>): AsyncIterableIterator<T> {
  let left: readonly T[] = [];
  return {
    async next() {
      while (left.length === 0) {
        const list = await lists.next();
        if (list.done === true) return { done: true, value: undefined };
        left = list.value;
      }
      const [first, ...others] = left as readonly [T, ...T[]];
      left = others;
      return { done: false, value: first };
    },
    async return() {
      left = [];
      await lists.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
