import { defineRoutes } from '../../platform/rest/routes.js';
import {
  CreateLicenseDocument,
  DeleteLicenseDocument,
  ListLicensesDocument,
  UpdateLicenseDocument,
} from './license.generated.js';

export const licenseRoutes = defineRoutes({
  'GET /licenses': { access: 'apiKey', operation: ListLicensesDocument, response: 'list' },
  'POST /licenses': { access: 'apiKey', operation: CreateLicenseDocument, status: 201 },
  'PATCH /licenses': { access: 'apiKey', operation: UpdateLicenseDocument },
  'DELETE /licenses': { access: 'apiKey', operation: DeleteLicenseDocument },
});
