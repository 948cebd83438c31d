import { defineRoutes } from '../../../platform/rest/routes.js';
import { CheckoutLicenseDocument } from './checkout.generated.js';

export const checkoutRoutes = defineRoutes({
  'POST /licenses/checkout': {
    access: 'public',
    operation: CheckoutLicenseDocument,
    gather: 'fields',
    lenient: true,
  },
});
