import { BotClientResolver } from './client/client.resolver.js';
import { CommandResolver } from './commands/command.resolver.js';
import { EmbedResolver } from './embeds/embed.resolver.js';
import { BotLogResolver } from './logs/log.resolver.js';
import { MessageTemplateResolver } from './messages/message-template.resolver.js';
import { ModuleResolver } from './modules/module.resolver.js';
import { BotPresenceResolver } from './presence/presence.resolver.js';
import { BotProfileResolver } from './profile/profile.resolver.js';
import { BotStatusResolver } from './status/status.resolver.js';

export const botResolvers = [
  BotClientResolver,
  BotLogResolver,
  BotPresenceResolver,
  BotProfileResolver,
  BotStatusResolver,
  CommandResolver,
  EmbedResolver,
  MessageTemplateResolver,
  ModuleResolver,
] as const;
