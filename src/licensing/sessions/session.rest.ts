import { defineRoutes } from '../../platform/rest/routes.js';
import {
  CloseSessionDocument,
  HeartbeatDocument,
  ListSessionsDocument,
  RevokeSessionsDocument,
} from './session.generated.js';

export const sessionRoutes = defineRoutes({
  'POST /sessions/heartbeat': { access: 'public', operation: HeartbeatDocument, lenient: true, hot: true },
  'POST /sessions/close': { access: 'public', operation: CloseSessionDocument, lenient: true },
  'GET /sessions': { access: 'apiKey', operation: ListSessionsDocument, response: 'list' },
  'DELETE /sessions': { access: 'apiKey', operation: RevokeSessionsDocument },
});
