import type { Task } from 'graphile-worker';
import type { JobContext } from './job-context.js';
import type { Handler, TaskName } from './task.js';
import { addUpCountsTask } from './tasks/add-up-counts.js';
import { announceExpiriesTask } from './tasks/announce-expiries.js';
import { deliverWebhooksTask } from './tasks/deliver-webhooks.js';
import { expireDownloadsTask } from './tasks/expire-downloads.js';
import { expireSessionsTask } from './tasks/expire-sessions.js';
import { forgetDeliveriesTask } from './tasks/forget-deliveries.js';
import { maintainJobsTask } from './tasks/maintain-jobs.js';
import { maintainLogsTask } from './tasks/maintain-logs.js';
import { processPurchaseTask } from './tasks/process-purchase.js';
import { pruneBotLogTask } from './tasks/prune-bot-log.js';
import { purgeIdempotencyKeysTask } from './tasks/purge-idempotency-keys.js';
import { purgeRateLimitsTask } from './tasks/purge-rate-limits.js';
import { refreshReleasesTask } from './tasks/refresh-releases.js';
import { watchRun } from './watch-run.js';
import type { RunLog } from './watch-run.js';

const HANDLERS: { readonly [Name in TaskName]: Handler<Name> } = {
  'add-up-counts': addUpCountsTask,
  'announce-expiries': announceExpiriesTask,
  'deliver-webhooks': deliverWebhooksTask,
  'expire-downloads': expireDownloadsTask,
  'expire-sessions': expireSessionsTask,
  'forget-deliveries': forgetDeliveriesTask,
  'maintain-jobs': maintainJobsTask,
  'maintain-logs': maintainLogsTask,
  'process-purchase': processPurchaseTask,
  'prune-bot-log': pruneBotLogTask,
  'purge-idempotency-keys': purgeIdempotencyKeysTask,
  'purge-rate-limits': purgeRateLimitsTask,
  'refresh-releases': refreshReleasesTask,
};

/** The handlers as graphile-worker takes them, each with its context; how each run went is handed in to `runs`. */
export function createTaskList(context: () => JobContext, runs: RunLog): Record<TaskName, Task> {
  const tasks = Object.entries(HANDLERS).map(([name, handler]) => {
    const task: Task = (payload, { job }) => {
      const ctx = context();
      return watchRun({ runs, clock: ctx.clock, job }, () =>
        (handler as Handler<TaskName>)(ctx, payload as object),
      );
    };
    return [name, task];
  });
  return Object.fromEntries(tasks) as Record<TaskName, Task>;
}
