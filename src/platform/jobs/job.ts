/**
 * A job in the queue is always one of these. A job that is done is in the queue no more, only its runs are left.
 * waiting   → running            a worker takes it
 * scheduled → waiting            its time has come
 * running   → (gone)             it succeeded
 * running   → scheduled          it failed, and attempts remain
 * running   → failed             it failed, and none remain
 * waiting, scheduled → failed    cancelled
 * failed, scheduled  → waiting   retried, or rescheduled
 */
export const JOB_STATES = ['waiting', 'scheduled', 'running', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** A job in the queue. What its payload is, its runs tell: the queue's public view doesn't. */
export interface Job {
  readonly id: number;
  readonly task: string;
  readonly state: JobState;
  readonly queue: string | null;
  readonly key: string | null;
  /** Lower goes first. */
  readonly priority: number;
  /** Not before. */
  readonly runAt: Date;
  /** Begun so far, the running one too. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** Masked. */
  readonly lastError: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** When a worker took it, and which. */
  readonly lockedAt: Date | null;
  readonly worker: string | null;
}
