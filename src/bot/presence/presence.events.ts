export const presenceEvents = ['bot.presence.updated'] as const;
