import type { Task } from 'graphile-worker';
import type { JobContext } from './job-context.js';
import type { Handler, TaskName } from './task.js';
import { addUpCountsTask } from './tasks/add-up-counts.js';
import { expireSessionsTask } from './tasks/expire-sessions.js';
import { maintainLogsTask } from './tasks/maintain-logs.js';
import { purgeIdempotencyKeysTask } from './tasks/purge-idempotency-keys.js';

const HANDLERS: { readonly [Name in TaskName]: Handler<Name> } = {
  'add-up-counts': addUpCountsTask,
  'expire-sessions': expireSessionsTask,
  'maintain-logs': maintainLogsTask,
  'purge-idempotency-keys': purgeIdempotencyKeysTask,
};

/** The handlers as graphile-worker takes them, each with its context. */
export function createTaskList(context: () => JobContext): Record<TaskName, Task> {
  const tasks = Object.entries(HANDLERS).map(([name, handler]) => {
    const task: Task = (payload) => (handler as Handler<TaskName>)(context(), payload as object);
    return [name, task];
  });
  return Object.fromEntries(tasks) as Record<TaskName, Task>;
}
