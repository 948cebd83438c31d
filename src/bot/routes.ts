import { botClientRoutes } from './client/client.rest.js';
import { commandRoutes } from './commands/command.rest.js';
import { embedRoutes } from './embeds/embed.rest.js';
import { botLogRoutes } from './logs/log.rest.js';
import { messageTemplateRoutes } from './messages/message-template.rest.js';
import { moduleRoutes } from './modules/module.rest.js';
import { botPresenceRoutes } from './presence/presence.rest.js';
import { botProfileRoutes } from './profile/profile.rest.js';
import { botStatusRoutes } from './status/status.rest.js';

/** The bot's REST API, one line a slice. */
export const botRoutes = [
  botStatusRoutes,
  botLogRoutes,
  moduleRoutes,
  commandRoutes,
  messageTemplateRoutes,
  embedRoutes,
  botClientRoutes,
  botPresenceRoutes,
  botProfileRoutes,
];
