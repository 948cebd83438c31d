import { JOB_OUTCOMES } from './job-run.js';

/** What may become of a job: how a run of it ended, or what an operator did. */
export const JOB_CHANGES = [...JOB_OUTCOMES, 'retried', 'cancelled', 'rescheduled', 'requested'] as const;
export type JobChangeKind = (typeof JOB_CHANGES)[number];

/** As it is told on the topics `job` and `job:<task>`, several to a message. */
export interface JobChange {
  readonly change: JobChangeKind;
  readonly jobId: number;
  readonly task: string;
  /** Of the run that ended. */
  readonly runId?: number;
}
