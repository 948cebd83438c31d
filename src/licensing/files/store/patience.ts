/** How long a remote provider may take; a slow reader on our side counts for nothing. */
export interface Patience {
  readonly connectMs: number;
  /** Until it begins to answer. */
  readonly answerMs: number;
  /** Between two pieces of an answer. */
  readonly stallMs: number;
}

export const PATIENCE: Patience = { connectMs: 5_000, answerMs: 15_000, stallMs: 60_000 };
