import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../context.js';
import { InvalidField } from '../errors.js';
import { diff, emitEvents } from '../events/emit.js';
import type { JobEvent } from './job.events.js';
import {
  failQueued,
  findJobs,
  lockForOperator,
  notifyJobChanges,
  rescheduleQueued,
  restartQueued,
} from './job.repository.js';
import { checkedIds } from './job.service.js';
import type { Job } from './job.js';

/** Why a job is as it was. */
export type RefusalReason = 'unknown' | 'running' | 'failed';

export interface JobRefusal {
  readonly id: number;
  readonly reason: RefusalReason;
  readonly message: string;
}

/** What became of the jobs that were named: each is in one of the two. */
export interface JobsChange {
  /** As they are now. */
  readonly jobs: readonly Job[];
  readonly refused: readonly JobRefusal[];
}

export interface RescheduleRequest {
  readonly runAt?: Date | null | undefined;
  readonly priority?: number | null | undefined;
  readonly maxAttempts?: number | null | undefined;
}

const SMALLINT_MAX = 32_767;

/** Makes jobs due now, with all their attempts anew: failed ones, and those that wait for a time or a next attempt. */
export function retryJobs(
  em: EntityManager,
  ctx: ActionContext,
  ids: readonly number[],
): Promise<JobsChange> {
  return change(em, ctx, {
    ids,
    event: 'job.retried',
    apply: async (free) => {
      // What is due already keeps its place.
      const [due, others] = [free.filter(isWaiting), free.filter((job) => !isWaiting(job))];
      return [
        ...(await rescheduleQueued(em, idsOf(due), { attempts: 0 })),
        ...(await restartQueued(em, idsOf(others))),
      ];
    },
  });
}

/**
 * Gives jobs up that have not begun. They stay in the queue as failed, with `reason` and who it was as their error, so
 * that a mistake can be undone by retrying them. A failed job keeps the error it has.
 */
export function cancelJobs(
  em: EntityManager,
  ctx: ActionContext,
  { ids, reason }: { readonly ids: readonly number[]; readonly reason?: string | null | undefined },
): Promise<JobsChange> {
  const error = `Cancelled by ${ctx.caller.name}${reason == null ? '' : `: ${reason}`}`;
  return change(em, ctx, {
    ids,
    event: 'job.cancelled',
    mayChange: ({ state }) => state !== 'failed',
    apply: (free) => failQueued(em, idsOf(free), error),
  });
}

/** Changes when, in which order and how often jobs run. More attempts than it has used bring a failed job back. */
export async function rescheduleJobs(
  em: EntityManager,
  ctx: ActionContext,
  { ids, ...request }: RescheduleRequest & { readonly ids: readonly number[] },
): Promise<JobsChange> {
  const { runAt, priority, maxAttempts } = request;
  if (runAt == null && priority == null && maxAttempts == null) {
    throw new InvalidField('runAt', 'or priority or maxAttempts must be given; got none of them');
  }
  if (priority != null && Math.abs(priority) > SMALLINT_MAX) {
    throw new InvalidField(
      'priority',
      `must be between -${SMALLINT_MAX} and ${SMALLINT_MAX}; got ${priority}`,
    );
  }
  if (maxAttempts != null && (maxAttempts < 1 || maxAttempts > SMALLINT_MAX)) {
    throw new InvalidField('maxAttempts', `must be between 1 and ${SMALLINT_MAX}; got ${maxAttempts}`);
  }
  return change(em, ctx, {
    ids,
    event: 'job.rescheduled',
    apply: (free) => rescheduleQueued(em, idsOf(free), request),
  });
}

interface Change {
  readonly ids: readonly number[];
  readonly event: JobEvent;
  readonly mayChange?: (job: Job) => boolean;
  /** Resolves to the ids that were changed: a worker may take one meanwhile. */
  readonly apply: (jobs: readonly Job[]) => Promise<number[]>;
}

async function change(em: EntityManager, ctx: ActionContext, request: Change): Promise<JobsChange> {
  const { event, apply, mayChange = () => true } = request;
  const ids = checkedIds(request.ids);
  await lockForOperator(em);
  const before = await byId(em, ids);
  const wanted = [...before.values()].filter((job) => job.state !== 'running' && mayChange(job));
  const changed = new Set(await apply(wanted));
  const after = await byId(em, ids);
  const jobs = [...after.values()].filter(({ id }) => changed.has(id));
  await emitEvents(
    em,
    ctx,
    event,
    jobs.map((job) => ({
      resource: { type: 'job', id: String(job.id) },
      changes: diff(plainFacts(before.get(job.id)), plainFacts(job)),
    })),
  );
  await notifyJobChanges(em, event.replace('job.', ''), jobs);
  return { jobs, refused: ids.filter((id) => !changed.has(id)).map((id) => refusalOf(id, after.get(id))) };
}

function idsOf(jobs: readonly Job[]): number[] {
  return jobs.map(({ id }) => id);
}

function isWaiting({ state }: Job): boolean {
  return state === 'waiting';
}

async function byId(em: EntityManager, ids: readonly number[]): Promise<Map<number, Job>> {
  const jobs = await findJobs(em, { ids }, { limit: ids.length });
  return new Map(jobs.map((job) => [job.id, job]));
}

function plainFacts(job: Job | undefined): Record<string, unknown> {
  if (!job) return {};
  const { state, runAt, priority, attempts, maxAttempts, lastError } = job;
  return { state, runAt, priority, attempts, maxAttempts, lastError };
}

function refusalOf(id: number, job: Job | undefined): JobRefusal {
  if (!job) {
    const message = `There is no job ${id} in the queue; if it is done, its runs tell`;
    return { id, reason: 'unknown', message };
  }
  if (job.state === 'failed') {
    return {
      id,
      reason: 'failed',
      message: `Job ${id} (${job.task}) has failed already and keeps its error`,
    };
  }
  const message = `Job ${id} (${job.task}) is running, and what runs can't be stopped or changed: wait for it to end`;
  return { id, reason: 'running', message };
}
