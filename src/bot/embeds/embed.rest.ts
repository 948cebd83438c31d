import { defineRoutes } from '../../platform/rest/routes.js';
import { SendBotMessageDocument } from './embed.generated.js';

export const embedRoutes = defineRoutes({
  'POST /api/embeds/send': { access: 'apiKey', operation: SendBotMessageDocument },
});
