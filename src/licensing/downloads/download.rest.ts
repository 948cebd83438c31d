import { defineRoutes } from '../../platform/rest/routes.js';
import {
  DeleteDownloadDocument,
  FollowDownloadLinkDocument,
  IssueDownloadDocument,
  ListDownloadsDocument,
  RevokeDownloadDocument,
} from './download.generated.js';

export const downloadRoutes = defineRoutes({
  'POST /downloads/issue': {
    access: 'public',
    operation: IssueDownloadDocument,
    status: 201,
    gather: 'fields',
    lenient: true,
  },
  'GET /download/:token': {
    access: 'public',
    operation: FollowDownloadLinkDocument,
    response: 'content',
    lenient: true,
  },
  'GET /downloads': { access: 'apiKey', operation: ListDownloadsDocument, response: 'list' },
  'POST /downloads/revoke': { access: 'apiKey', operation: RevokeDownloadDocument, response: 'empty' },
  'DELETE /downloads': { access: 'apiKey', operation: DeleteDownloadDocument, response: 'empty' },
});
