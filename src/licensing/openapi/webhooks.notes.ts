import type { JsonSchema } from '../../platform/rest/openapi/notes.js';
import { licensingEvents } from '../events.js';
import { webhookChanges } from '../webhooks/webhook.events.js';

const header = (name: string, description: string, example: string): JsonSchema => ({
  ...{ name, in: 'header', required: true, description, schema: { type: 'string' }, example },
});

/** What targets are told; of changes of the targets themselves nobody is. The bot's own events come by the same road. */
const TOLD = [
  ...licensingEvents.filter((event) => !(webhookChanges as readonly string[]).includes(event)),
  ...['bot.started', 'bot.stopped', 'bot.failed'],
].sort();

/** What the server sends to webhook targets, by Standard Webhooks. */
export const webhookRequests: JsonSchema = {
  event: {
    post: {
      tags: ['Webhooks'],
      operationId: 'event',
      summary: 'Something happened',
      description: [
        'Signed by [Standard Webhooks](https://www.standardwebhooks.com): verify `webhook-signature`, and drop doubles by',
        '`webhook-id`. Deliveries come at least once, and not always in order. Any 2xx takes it; 410 disables the target.',
      ].join('\n'),
      parameters: [
        header('webhook-id', 'The same for every attempt.', 'evt_2Jw9mQx4'),
        header('webhook-timestamp', 'Unix seconds of the attempt.', '1768478400'),
        header(
          'webhook-signature',
          'One or more of `v1,<base64 HMAC-SHA256 of id.timestamp.body>`, separated by spaces.',
          'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
        ),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['id', 'type', 'timestamp', 'data'],
              properties: {
                id: { type: 'string', description: 'As in `webhook-id`.' },
                type: { type: 'string', enum: TOLD },
                timestamp: { type: 'string', format: 'date-time' },
                data: { type: 'object', description: 'The record, as this API returns it.' },
              },
            },
            example: {
              id: 'evt_2Jw9mQx4',
              type: 'license.suspended',
              timestamp: '2026-01-15T12:00:00.000Z',
              data: { key: 'PLOTGUARD-ADA-0001', status: 'suspended' },
            },
          },
        },
      },
      responses: {
        200: { description: 'It was taken' },
        410: { description: 'Never again: the target is disabled' },
      },
    },
  },
};
