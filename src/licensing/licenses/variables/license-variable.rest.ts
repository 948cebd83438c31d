import { defineRoutes } from '../../../platform/rest/routes.js';
import {
  DeleteLicenseVariableDocument,
  ListLicenseVariablesDocument,
  SetLicenseVariableDocument,
} from './license-variable.generated.js';

export const licenseVariableRoutes = defineRoutes({
  'GET /licenses/variables': {
    access: 'apiKey',
    operation: ListLicenseVariablesDocument,
    response: 'list',
  },
  'POST /licenses/variables': {
    access: 'apiKey',
    operation: SetLicenseVariableDocument,
    isNew: 'created',
    flatten: 'variable',
  },
  'DELETE /licenses/variables': { access: 'apiKey', operation: DeleteLicenseVariableDocument },
});
