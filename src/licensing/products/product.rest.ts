import { defineRoutes } from '../../platform/rest/routes.js';
import {
  CreateProductDocument,
  DeleteProductDocument,
  ListProductsDocument,
  UpdateProductDocument,
} from './product.generated.js';

export const productRoutes = defineRoutes({
  'GET /products': { access: 'apiKey', operation: ListProductsDocument, response: 'list', flatten: 'custom' },
  'POST /products': {
    access: 'apiKey',
    operation: CreateProductDocument,
    status: 201,
    gather: 'custom',
    flatten: 'custom',
  },
  'PATCH /products': {
    access: 'apiKey',
    operation: UpdateProductDocument,
    gather: 'custom',
    flatten: 'custom',
  },
  'DELETE /products': { access: 'apiKey', operation: DeleteProductDocument },
});
