/** What operators do with jobs. For the activity log alone: jobs are no business of webhooks. */
export const jobEvents = ['job.retried', 'job.cancelled', 'job.rescheduled', 'job.requested'] as const;

export type JobEvent = (typeof jobEvents)[number];
