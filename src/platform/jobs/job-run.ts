/** How a run ended. `retrying`: it failed, and the job will run again; `failed`: that was its last attempt. */
export const JOB_OUTCOMES = ['succeeded', 'retrying', 'failed'] as const;
export type JobOutcome = (typeof JOB_OUTCOMES)[number];

/** A run that has ended, as the worker hands it in. */
export interface FinishedRun {
  /** A bigint, as the queue writes it. */
  readonly jobId: string;
  readonly task: string;
  readonly payload: unknown;
  /** From 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly outcome: JobOutcome;
  readonly error?: string | undefined;
  /** Whom the job was locked by. */
  readonly worker: string;
  readonly queuedAt: Date;
  /** When this attempt was to begin. */
  readonly dueAt: Date;
  readonly startedAt: Date;
  readonly durationMs: number;
}

/** A run as the history shows it. */
export interface JobRun extends Omit<FinishedRun, 'jobId' | 'error'> {
  readonly id: number;
  readonly jobId: number;
  readonly error: string | null;
  /** From `dueAt` to `startedAt`. */
  readonly waitMs: number;
}
