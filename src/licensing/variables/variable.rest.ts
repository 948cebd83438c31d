import { defineRoutes } from '../../platform/rest/routes.js';
import {
  CreateUserVariableDocument,
  DeleteUserVariableDocument,
  ListUserVariablesDocument,
  UpdateUserVariableDocument,
} from './user-variable.generated.js';
import {
  CreateGlobalVariableDocument,
  CreateProductVariableDocument,
  DeleteGlobalVariableDocument,
  DeleteProductVariableDocument,
  ListGlobalVariablesDocument,
  ListProductVariablesDocument,
  UpdateGlobalVariableDocument,
  UpdateProductVariableDocument,
} from './variable.generated.js';

const administration = { access: 'apiKey', response: 'empty' } as const;
/** The license key in the request is the credential. */
const holder = { access: 'public', response: 'empty', lenient: true } as const;

export const variableRoutes = defineRoutes({
  'GET /variables': { access: 'apiKey', operation: ListGlobalVariablesDocument, response: 'list' },
  'POST /variables': { ...administration, operation: CreateGlobalVariableDocument },
  'PATCH /variables': { ...administration, operation: UpdateGlobalVariableDocument },
  'DELETE /variables': { ...administration, operation: DeleteGlobalVariableDocument },
  'GET /variables/product': { access: 'apiKey', operation: ListProductVariablesDocument, response: 'list' },
  'POST /variables/product': { ...administration, operation: CreateProductVariableDocument },
  'PATCH /variables/product': { ...administration, operation: UpdateProductVariableDocument },
  'DELETE /variables/product': { ...administration, operation: DeleteProductVariableDocument },
  'GET /variables/user': { ...holder, operation: ListUserVariablesDocument, response: 'list' },
  'POST /variables/user': { ...holder, operation: CreateUserVariableDocument },
  'PATCH /variables/user': { ...holder, operation: UpdateUserVariableDocument },
  'DELETE /variables/user': { ...holder, operation: DeleteUserVariableDocument },
});
