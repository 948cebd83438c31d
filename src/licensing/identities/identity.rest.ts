import { defineRoutes } from '../../platform/rest/routes.js';
import {
  CreateIdentityDocument,
  DeleteIdentityDocument,
  ListIdentitiesDocument,
} from './identity.generated.js';

export const identityRoutes = defineRoutes({
  'GET /identities': { access: 'apiKey', operation: ListIdentitiesDocument, response: 'list' },
  'POST /identities': { access: 'apiKey', operation: CreateIdentityDocument, status: 201 },
  'DELETE /identities': { access: 'apiKey', operation: DeleteIdentityDocument },
});
