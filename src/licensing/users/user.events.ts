export const userEvents = [
  'user.created',
  'user.updated',
  'user.merged',
  'user.banned',
  'user.deleted',
] as const;
