import { defineRoutes } from '../../../platform/rest/routes.js';
import { ValidateLicenseDocument } from './validation.generated.js';

export const validationRoutes = defineRoutes({
  'POST /licenses/validate': {
    access: 'public',
    operation: ValidateLicenseDocument,
    gather: 'fields',
    lenient: true,
    hot: true,
  },
});
