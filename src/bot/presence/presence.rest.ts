import { defineRoutes } from '../../platform/rest/routes.js';
import { SetBotPresenceDocument } from './presence.generated.js';

export const botPresenceRoutes = defineRoutes({
  'POST /api/bot/presence': { access: 'apiKey', operation: SetBotPresenceDocument },
});
