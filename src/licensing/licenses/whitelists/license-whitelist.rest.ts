import { defineRoutes } from '../../../platform/rest/routes.js';
import {
  AddLicenseWhitelistValueDocument,
  ClearLicenseWhitelistDocument,
  ListLicenseWhitelistsDocument,
  SetLicenseWhitelistLimitDocument,
} from './license-whitelist.generated.js';

export const licenseWhitelistRoutes = defineRoutes({
  'GET /licenses/whitelists': { access: 'apiKey', operation: ListLicenseWhitelistsDocument },
  'POST /licenses/whitelists': { access: 'apiKey', operation: AddLicenseWhitelistValueDocument },
  'PATCH /licenses/whitelists': { access: 'apiKey', operation: SetLicenseWhitelistLimitDocument },
  'DELETE /licenses/whitelists': { access: 'apiKey', operation: ClearLicenseWhitelistDocument },
});
