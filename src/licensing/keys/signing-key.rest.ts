import { defineRoutes } from '../../platform/rest/routes.js';
import { PublicKeysDocument } from './signing-key.generated.js';

export const signingKeyRoutes = defineRoutes({
  'GET /keys/public': { access: 'public', operation: PublicKeysDocument },
});
