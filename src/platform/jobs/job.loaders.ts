import type { EntityManager } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import { listsById } from '../db/by-id.js';
import { findJobRunsById, findJobRunsOf } from './job-run.repository.js';
import { findJobs } from './job.repository.js';

export const RUNS_OF_JOB_MAX = 10;

/** The newest runs of a job, newest first; one statement for any number of jobs. */
export const runsByJob = listsById(async (em: EntityManager, ids) => {
  const runs = await findJobRunsOf(em, ids, RUNS_OF_JOB_MAX);
  return Map.groupBy(runs, (run) => run.jobId);
});

export const jobById = rowsById((em, ids) => findJobs(em, { ids }, { limit: ids.length }));
export const runById = rowsById(findJobRunsById);

function rowsById<T extends { readonly id: number }>(
  find: (em: EntityManager, ids: readonly number[]) => Promise<T[]>,
) {
  return ({ em }: { readonly em: EntityManager }) =>
    new DataLoader<number, T | null>(async (ids) => {
      const found = new Map((await find(em, ids)).map((row) => [row.id, row]));
      return ids.map((id) => found.get(id) ?? null);
    });
}
