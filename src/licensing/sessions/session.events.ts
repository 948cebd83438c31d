export const sessionEvents = [
  'session.opened',
  'session.expired',
  'session.closed',
  'session.revoked',
] as const;
