export const profileEvents = ['bot.profile.updated'] as const;
