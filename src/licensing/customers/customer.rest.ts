import { defineRoutes } from '../../platform/rest/routes.js';
import {
  CreateCustomerDocument,
  DeleteCustomerDocument,
  ListCustomersDocument,
  UpdateCustomerDocument,
} from './customer.generated.js';

export const customerRoutes = defineRoutes({
  'GET /customers': {
    access: 'apiKey',
    operation: ListCustomersDocument,
    response: 'list',
    flatten: 'custom',
  },
  'POST /customers': {
    access: 'apiKey',
    operation: CreateCustomerDocument,
    status: 201,
    gather: 'custom',
    flatten: 'custom',
  },
  'PATCH /customers': {
    access: 'apiKey',
    operation: UpdateCustomerDocument,
    gather: 'custom',
    flatten: 'custom',
  },
  'DELETE /customers': { access: 'apiKey', operation: DeleteCustomerDocument },
});
