/** Changes of the targets themselves. They stand in the activity log, and no target is told of them. */
export const webhookChanges = [
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.rotated',
] as const;

export const webhookEvents = [...webhookChanges, 'webhook.disabled', 'webhook.test'] as const;
