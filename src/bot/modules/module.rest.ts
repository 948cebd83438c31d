import { defineRoutes } from '../../platform/rest/routes.js';
import {
  ListBotLoggingTargetsDocument,
  ListBotModuleConfigsDocument,
  ListBotModulesDocument,
  ToggleBotModuleDocument,
  UpdateBotLoggingTargetDocument,
  UpdateBotModuleConfigDocument,
} from './module.generated.js';

export const moduleRoutes = defineRoutes({
  'GET /api/modules': { access: 'apiKey', operation: ListBotModulesDocument, member: 'modules' },
  'POST /api/modules/toggle': { access: 'apiKey', operation: ToggleBotModuleDocument },
  'GET /api/modules/configs': {
    access: 'apiKey',
    operation: ListBotModuleConfigsDocument,
    member: 'moduleConfigs',
  },
  'POST /api/modules/config': { access: 'apiKey', operation: UpdateBotModuleConfigDocument },
  'GET /api/modules/logging': {
    access: 'apiKey',
    operation: ListBotLoggingTargetsDocument,
    member: 'loggingTargets',
  },
  'POST /api/modules/logging': { access: 'apiKey', operation: UpdateBotLoggingTargetDocument },
});
