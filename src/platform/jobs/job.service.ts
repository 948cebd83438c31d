import type { EntityManager } from '@mikro-orm/postgresql';
import { findIdPage } from '../db/id-page.js';
import type { Page, PageRequest } from '../db/page.js';
import { InvalidField, NotFound } from '../errors.js';
import { countJobRuns, findJobRuns } from './job-run.repository.js';
import type { JobRunQuery } from './job-run.repository.js';
import type { JobRun } from './job-run.js';
import { countJobs, findJobs } from './job.repository.js';
import type { JobQuery } from './job.repository.js';
import type { Job } from './job.js';

const IDS_MAX = 1_000;

/** What is in the queue, oldest first. */
export function listJobs(em: EntityManager, query: JobQuery, request: PageRequest): Promise<Page<Job>> {
  const asked = query.ids == null ? query : { ...query, ids: checkedIds(query.ids) };
  return findIdPage(request, {
    find: (place) => findJobs(em, asked, place),
    count: () => countJobs(em, asked),
  });
}

/** Throws `JOB_NOT_FOUND` for one that is not in the queue (any more). */
export async function getJob(em: EntityManager, id: number): Promise<Job> {
  const [job] = await findJobs(em, { ids: [id] }, { limit: 1 });
  if (!job) throw new NotFound('job', String(id));
  return job;
}

/** What has run, newest first. */
export function listJobRuns(
  em: EntityManager,
  query: JobRunQuery,
  request: PageRequest,
): Promise<Page<JobRun>> {
  return findIdPage(request, {
    find: ({ after, limit }) => findJobRuns(em, query, { before: after, limit }),
    count: () => countJobRuns(em, query),
  });
}

/** Each id once. Throws `INVALID_FIELD` for none, and for more than 1 000. */
export function checkedIds(ids: readonly number[]): number[] {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0 || distinct.length > IDS_MAX) {
    throw new InvalidField('ids', `must be 1–${IDS_MAX} ids; got ${distinct.length}`);
  }
  return distinct;
}
