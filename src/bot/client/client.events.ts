export const clientEvents = ['bot.started', 'bot.stopped', 'bot.failed'] as const;
