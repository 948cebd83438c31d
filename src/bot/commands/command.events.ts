export const commandEvents = ['bot.commands.updated', 'bot.commands.synced'] as const;
