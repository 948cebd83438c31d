import { defineRoutes } from '../../platform/rest/routes.js';
import {
  AttachAddonDocument,
  CreateAddonDocument,
  DeleteAddonDocument,
  DetachAddonDocument,
  ListAddonsDocument,
  UpdateAddonDocument,
} from './addon.generated.js';

export const addonRoutes = defineRoutes({
  'GET /addons': { access: 'apiKey', operation: ListAddonsDocument, response: 'list', flatten: 'custom' },
  'POST /addons': {
    access: 'apiKey',
    operation: CreateAddonDocument,
    status: 201,
    gather: 'custom',
    flatten: 'custom',
  },
  'PATCH /addons': { access: 'apiKey', operation: UpdateAddonDocument, gather: 'custom', flatten: 'custom' },
  'DELETE /addons': { access: 'apiKey', operation: DeleteAddonDocument },
  'POST /addons/attach': { access: 'apiKey', operation: AttachAddonDocument },
  'POST /addons/detach': { access: 'apiKey', operation: DetachAddonDocument },
});
