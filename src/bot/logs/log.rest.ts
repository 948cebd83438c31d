import { defineRoutes } from '../../platform/rest/routes.js';
import { FollowBotLogDocument, ListBotLogsDocument } from './log.generated.js';

export const botLogRoutes = defineRoutes({
  'GET /api/logs': { access: 'apiKey', operation: ListBotLogsDocument, member: 'logs' },
  'GET /api/logs/stream': { access: 'apiKey', operation: FollowBotLogDocument, response: 'events' },
});
