import { defineRoutes } from '../../platform/rest/routes.js';
import {
  CreateWebhookDocument,
  DeleteWebhookDocument,
  ListWebhookDeliveriesDocument,
  ListWebhooksDocument,
  RetryWebhookDeliveryDocument,
  RotateWebhookSecretDocument,
  TestWebhookDocument,
  UpdateWebhookDocument,
} from './webhook.generated.js';

export const webhookRoutes = defineRoutes({
  'GET /webhooks': { access: 'apiKey', operation: ListWebhooksDocument, response: 'list' },
  'POST /webhooks': { access: 'apiKey', operation: CreateWebhookDocument, status: 201 },
  'PATCH /webhooks': { access: 'apiKey', operation: UpdateWebhookDocument, response: 'empty' },
  'DELETE /webhooks': { access: 'apiKey', operation: DeleteWebhookDocument, response: 'empty' },
  'GET /webhooks/deliveries': {
    access: 'apiKey',
    operation: ListWebhookDeliveriesDocument,
    response: 'list',
  },
  'POST /webhooks/deliveries/retry': { access: 'apiKey', operation: RetryWebhookDeliveryDocument },
  'POST /webhooks/rotate': { access: 'apiKey', operation: RotateWebhookSecretDocument },
  'POST /webhooks/test': { access: 'apiKey', operation: TestWebhookDocument, response: 'empty' },
});
