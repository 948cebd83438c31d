export const logEvents = ['log.cleared'] as const;
