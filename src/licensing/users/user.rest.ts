import { defineRoutes } from '../../platform/rest/routes.js';
import {
  CreateUserDocument,
  DeleteUserDocument,
  LinkUserDocument,
  ListUserLicensesDocument,
  ListUsersDocument,
  MergeUsersDocument,
  UpdateUserDocument,
} from './user.generated.js';

/** A user that was read may be sent back. */
const readOnly = ['merged_into'];

export const userRoutes = defineRoutes({
  'GET /users': { access: 'apiKey', operation: ListUsersDocument, response: 'list' },
  'POST /users': { access: 'apiKey', operation: CreateUserDocument, status: 201, readOnly },
  'PATCH /users': { access: 'apiKey', operation: UpdateUserDocument, readOnly },
  'DELETE /users': { access: 'apiKey', operation: DeleteUserDocument },
  'GET /users/licenses': { access: 'apiKey', operation: ListUserLicensesDocument, response: 'list' },
  'POST /users/link': { access: 'apiKey', operation: LinkUserDocument },
  'POST /users/merge': { access: 'apiKey', operation: MergeUsersDocument },
});
