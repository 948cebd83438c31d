export const moduleEvents = [
  'bot.module.enabled',
  'bot.module.disabled',
  'bot.module.failed',
  'bot.module.configured',
  'bot.logging.updated',
] as const;
