import {
  dropOldJobRuns,
  forgetFailedJobs,
  maintainJobHistory,
} from '../../src/platform/jobs/job-history.service.js';
import type { Handler } from '../task.js';

/** Makes the coming days' partitions of the history, and forgets runs and failed jobs past their retention. */
export const maintainJobsTask: Handler<'maintain-jobs'> = async (ctx) => {
  await maintainJobHistory(ctx.em, ctx);
  const dropped = await dropOldJobRuns(ctx.em, ctx);
  const forgotten = await forgetFailedJobs(ctx.em, ctx);
  if (dropped.length > 0 || forgotten > 0) {
    ctx.log.info({ dropped, forgotten }, 'runs and failed jobs past their retention are gone');
  }
};
