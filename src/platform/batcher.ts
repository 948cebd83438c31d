/** Answers many questions at once, each at its place. */
export type AnswerAll<Question, Answer> = (questions: readonly Question[]) => Promise<readonly Answer[]>;

export interface BatcherOptions {
  /** How many batches may be under way at once. */
  readonly inFlightMax: number;
  /** How many questions a batch may hold. */
  readonly batchMax: number;
  /** What fails for a reason that all share, a database that is away, isn't asked again one by one. */
  readonly isShared: (error: unknown) => boolean;
  /** Told the size of every batch that leaves. */
  readonly onBatch?: (size: number) => void;
}

interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

/**
 * Group commit: questions of one moment go out together. A batch leaves as soon as fewer than `inFlightMax` are under
 * way, so that an idle server answers at once and a busy one fills its batches by itself; there is no timer. When a
 * batch fails, each of its questions is asked alone, so that only those fail that would have failed alone.
 */
export class Batcher<Question, Answer> {
  readonly #answerAll: AnswerAll<Question, Answer>;
  readonly #options: BatcherOptions;
  #waiting: Waiting<Question, Answer>[] = [];
  #inFlight = 0;
  #leaves = false;

  constructor(answerAll: AnswerAll<Question, Answer>, options: BatcherOptions) {
    this.#answerAll = answerAll;
    this.#options = options;
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      this.#leaveSoon();
    });
  }

  /** At the end of this turn of the event loop: the requests that came in with it go together. */
  #leaveSoon(): void {
    if (this.#leaves || this.#inFlight >= this.#options.inFlightMax) return;
    this.#leaves = true;
    setImmediate(() => {
      this.#leaves = false;
      this.#leave();
    });
  }

  #leave(): void {
    while (this.#waiting.length > 0 && this.#inFlight < this.#options.inFlightMax) {
      const batch = this.#waiting.splice(0, this.#options.batchMax);
      this.#options.onBatch?.(batch.length);
      this.#inFlight++;
      void this.#settle(batch).finally(() => {
        this.#inFlight--;
        this.#leave();
      });
    }
  }

  async #settle(batch: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.#answerAll(batch.map(({ question }) => question));
      if (answers.length !== batch.length) {
        throw new Error(`A batch of ${batch.length} questions got ${answers.length} answers`);
      }
      batch.forEach((waiting, at) => {
        waiting.resolve(answers[at] as Answer);
      });
    } catch (error) {
      if (batch.length === 1 || this.#options.isShared(error)) {
        for (const waiting of batch) waiting.reject(error);
      } else {
        for (const waiting of batch) await this.#settle([waiting]);
      }
    }
  }
}
