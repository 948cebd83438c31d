export const embedEvents = ['bot.message.sent'] as const;
