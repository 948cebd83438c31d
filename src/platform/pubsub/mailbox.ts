import type { DomainError } from '../errors.js';

/**
 * What waits for one subscriber: an async iterator that somebody else fills. It holds a bounded number of messages and
 * ends at once for whoever waits in `next`, unlike an async generator, which would first have to wake up.
 */
export class Mailbox<T> implements AsyncIterableIterator<T> {
  readonly #capacity: number;
  readonly #onEnd: () => void;
  readonly #messages: T[] = [];
  readonly #readers: PromiseWithResolvers<IteratorResult<T>>[] = [];
  #ended = false;
  #error: DomainError | undefined;

  /** `onEnd` is called once, whoever ends it. */
  constructor(capacity: number, onEnd: () => void) {
    this.#capacity = capacity;
    this.#onEnd = onEnd;
  }

  /** False when it is full, or has ended. */
  put(message: T): boolean {
    if (this.#ended) return false;
    const reader = this.#readers.shift();
    if (reader) reader.resolve({ done: false, value: message });
    else if (this.#messages.length < this.#capacity) this.#messages.push(message);
    else return false;
    return true;
  }

  /** Ends it with an error, which the next read throws. What was waiting is dropped: it has a gap now. */
  fail(error: DomainError): void {
    if (this.#ended) return;
    const reader = this.#readers.shift();
    if (reader) reader.reject(error);
    else this.#error = error;
    this.#end();
  }

  next(): Promise<IteratorResult<T>> {
    const error = this.#error;
    this.#error = undefined;
    if (error) return Promise.reject(error);
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    const message = this.#messages.shift();
    if (message !== undefined) return Promise.resolve({ done: false, value: message });
    const reader = Promise.withResolvers<IteratorResult<T>>();
    this.#readers.push(reader);
    return reader.promise;
  }

  return(): Promise<IteratorResult<T>> {
    this.#error = undefined;
    if (!this.#ended) this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(): void {
    this.#ended = true;
    this.#messages.length = 0;
    for (const reader of this.#readers.splice(0)) reader.resolve({ done: true, value: undefined });
    this.#onEnd();
  }
}
