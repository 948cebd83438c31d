export const whitelistEvents = [
  'whitelist.created',
  'whitelist.updated',
  'whitelist.deleted',
  'whitelist.bound',
  'whitelist.limit_reached',
  'whitelist.cleared',
] as const;
