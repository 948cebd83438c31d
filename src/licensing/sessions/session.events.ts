export const sessionEvents = ['session.expired'] as const;
