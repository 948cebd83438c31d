import { defineRoutes } from '../../platform/rest/routes.js';
import {
  DeleteBotMessageTemplateDocument,
  ListBotMessageTemplatesDocument,
  WriteBotMessageTemplateDocument,
} from './message-template.generated.js';

export const messageTemplateRoutes = defineRoutes({
  'GET /api/messages': {
    access: 'apiKey',
    operation: ListBotMessageTemplatesDocument,
    member: 'messageTemplates',
  },
  'POST /api/messages': { access: 'apiKey', operation: WriteBotMessageTemplateDocument, isNew: 'isNew' },
  'DELETE /api/messages/:id': { access: 'apiKey', operation: DeleteBotMessageTemplateDocument },
});
