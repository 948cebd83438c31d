import { defineRoutes } from '../../platform/rest/routes.js';
import {
  AttachWhitelistDocument,
  CreateWhitelistDocument,
  DeleteWhitelistDocument,
  DetachWhitelistDocument,
  ListWhitelistsDocument,
  UpdateWhitelistDocument,
} from './whitelist.generated.js';

export const whitelistRoutes = defineRoutes({
  'GET /whitelists': { access: 'apiKey', operation: ListWhitelistsDocument, response: 'list' },
  'POST /whitelists': { access: 'apiKey', operation: CreateWhitelistDocument, status: 201 },
  'PATCH /whitelists': { access: 'apiKey', operation: UpdateWhitelistDocument },
  'DELETE /whitelists': { access: 'apiKey', operation: DeleteWhitelistDocument },
  'POST /whitelists/attach': { access: 'apiKey', operation: AttachWhitelistDocument },
  'POST /whitelists/detach': { access: 'apiKey', operation: DetachWhitelistDocument },
});
