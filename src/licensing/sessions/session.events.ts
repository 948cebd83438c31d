export const sessionEvents = ['session.expired', 'session.closed', 'session.revoked'] as const;
