import type { RestResponse } from '../support/rest.js';

const CALLERS = 16;

interface Call {
  readonly answer: RestResponse;
  /** What a 2xx promises to be there. */
  readonly acknowledges: string;
}

/** Callers that write without a pause, and remember what was acknowledged. */
export class Load {
  readonly acknowledged: string[] = [];
  readonly answers = new Map<string, number>();
  /** 503s that didn't say when to come back. */
  withoutRetryAfter = 0;
  readonly #callers: Promise<void>[];
  #isOver = false;

  /** `call` is told who calls, and how often that one has called before. */
  constructor(call: (id: number, n: number) => Promise<Call>) {
    this.#callers = Array.from({ length: CALLERS }, (_, id) => this.#repeat(call, id));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }

  told(): string {
    return [...this.answers].map(([answer, count]) => `${answer}: ${count}`).join(', ');
  }

  async #repeat(call: (id: number, n: number) => Promise<Call>, id: number): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const { answer, acknowledges } = await call(id, n);
      const { status, headers, body } = answer;
      const { code = '' } = body as { code?: string };
      const told = `${status} ${code}`.trim();
      this.answers.set(told, (this.answers.get(told) ?? 0) + 1);
      if (status < 300) this.acknowledged.push(acknowledges);
      if (status === 503 && headers['retry-after'] === undefined) this.withoutRetryAfter++;
    }
  }
}
