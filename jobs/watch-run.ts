import type { Job } from 'graphile-worker';
import type { Clock } from '../src/platform/clock.js';
import { traced } from '../src/platform/tracing/tracing.js';
import type { JobRunRecorder } from '../src/platform/jobs/job-run-recorder.service.js';

/** What a run is handed in to once it has ended. */
export type RunLog = Pick<JobRunRecorder, 'add'>;

interface Watching {
  readonly runs: RunLog;
  readonly clock: Clock;
  readonly job: Job;
}

/** Does the job's work and hands in how it went. Throws what the work throws: what follows from it is the queue's. */
export async function watchRun({ runs, clock, job }: Watching, work: () => Promise<void>): Promise<void> {
  const startedAt = clock.now();
  const from = performance.now();
  const ended = () => ({
    jobId: job.id,
    task: job.task_identifier,
    payload: job.payload,
    attempt: job.attempts,
    maxAttempts: job.max_attempts,
    worker: job.locked_by ?? '',
    queuedAt: new Date(job.created_at),
    dueAt: new Date(job.run_at),
    startedAt,
    durationMs: performance.now() - from,
  });
  try {
    const facts = { 'job.id': job.id, 'job.attempt': job.attempts };
    await traced({ name: `job ${job.task_identifier}`, kind: 'consumer', facts }, work);
  } catch (error) {
    const outcome = job.attempts < job.max_attempts ? 'retrying' : 'failed';
    runs.add({ ...ended(), outcome, error: textOf(error) });
    throw error;
  }
  runs.add({ ...ended(), outcome: 'succeeded' });
}

/** An error of another realm is no instance of this one's Error, and some have no message. */
function textOf(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' && message !== '' ? message : String(error);
}
