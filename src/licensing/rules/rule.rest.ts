import { defineRoutes } from '../../platform/rest/routes.js';
import {
  AttachRuleDocument,
  CreateRuleDocument,
  DeleteRuleDocument,
  DetachRuleDocument,
  ListRulesDocument,
  UpdateRuleDocument,
} from './rule.generated.js';

export const ruleRoutes = defineRoutes({
  'GET /rules': { access: 'apiKey', operation: ListRulesDocument, response: 'list' },
  'POST /rules': { access: 'apiKey', operation: CreateRuleDocument, status: 201 },
  'PATCH /rules': { access: 'apiKey', operation: UpdateRuleDocument, response: 'empty' },
  'DELETE /rules': { access: 'apiKey', operation: DeleteRuleDocument, response: 'empty' },
  'POST /rules/attach': { access: 'apiKey', operation: AttachRuleDocument },
  'POST /rules/detach': { access: 'apiKey', operation: DetachRuleDocument },
});
