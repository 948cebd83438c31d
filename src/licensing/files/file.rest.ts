import { defineRoutes } from '../../platform/rest/routes.js';
import {
  CreateFileDocument,
  DeleteFileDocument,
  ListFileRepositoriesDocument,
  ListFilesDocument,
  UpdateFileDocument,
} from './file.generated.js';

export const fileRoutes = defineRoutes({
  'GET /files': { access: 'apiKey', operation: ListFilesDocument, response: 'list' },
  'POST /files': { access: 'apiKey', operation: CreateFileDocument, status: 201 },
  'PATCH /files': { access: 'apiKey', operation: UpdateFileDocument, response: 'empty' },
  'DELETE /files': { access: 'apiKey', operation: DeleteFileDocument, response: 'empty' },
  'GET /files/repos': { access: 'apiKey', operation: ListFileRepositoriesDocument },
});
