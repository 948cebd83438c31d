import { defineRoutes } from '../../platform/rest/routes.js';
import {
  ListBotCommandsDocument,
  SyncBotCommandsDocument,
  UpdateBotCommandsDocument,
} from './command.generated.js';

export const commandRoutes = defineRoutes({
  'GET /api/commands': { access: 'apiKey', operation: ListBotCommandsDocument, member: 'commands' },
  'POST /api/commands': { access: 'apiKey', operation: UpdateBotCommandsDocument },
  'POST /api/commands/sync': { access: 'apiKey', operation: SyncBotCommandsDocument },
});
