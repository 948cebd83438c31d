import { defineRoutes } from '../../platform/rest/routes.js';
import { ClearLogDocument, ListLogsDocument } from './log.generated.js';

export const logRoutes = defineRoutes({
  'GET /logs': { access: 'apiKey', operation: ListLogsDocument },
  'DELETE /logs': { access: 'apiKey', operation: ClearLogDocument },
});
