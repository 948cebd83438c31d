export const messageTemplateEvents = [
  'bot.template.created',
  'bot.template.updated',
  'bot.template.deleted',
] as const;
