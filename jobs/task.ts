import type { JobContext } from './job-context.js';

/** Every task and its payload. A task without a handler in task-list.ts is a compile error. */
export interface TaskPayloads {
  'add-up-counts': object;
  'announce-expiries': object;
  'deliver-webhooks': object;
  'expire-downloads': object;
  'expire-sessions': object;
  'forget-deliveries': object;
  'maintain-jobs': object;
  'maintain-logs': object;
  'process-purchase': { readonly purchaseId: number };
  'prune-bot-log': object;
  'purge-idempotency-keys': object;
  'purge-rate-limits': object;
  'refresh-releases': object;
}

export type TaskName = keyof TaskPayloads;

/** A task's handler. It may run twice, and on two workers at once. */
export type Handler<Name extends TaskName> = (ctx: JobContext, payload: TaskPayloads[Name]) => Promise<void>;
