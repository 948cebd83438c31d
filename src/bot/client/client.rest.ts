import { defineRoutes } from '../../platform/rest/routes.js';
import { RestartBotDocument, StartBotDocument, StopBotDocument } from './client.generated.js';

export const botClientRoutes = defineRoutes({
  'POST /api/bot/start': { access: 'apiKey', operation: StartBotDocument },
  'POST /api/bot/stop': { access: 'apiKey', operation: StopBotDocument },
  'POST /api/bot/restart': { access: 'apiKey', operation: RestartBotDocument },
});
