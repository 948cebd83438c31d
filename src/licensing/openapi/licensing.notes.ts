import { healthOperations, metricsOperation } from '../../platform/rest/openapi/beside.js';
import type { ApiNotes } from '../../platform/rest/openapi/notes.js';
import { catalogNotes } from './catalog.notes.js';
import { licensingCodes } from './codes.js';
import { deliveryNotes } from './delivery.notes.js';
import { licenseNotes } from './license.notes.js';
import { licensingRecords } from './records.js';
import { webhookRequests } from './webhooks.notes.js';

const SCHEME = 'apiKey';

/** What the OpenAPI document of the licensing API says beside its routes. */
export const licensingNotes: ApiNotes = {
  title: 'Licensing API',
  description: [
    'Licenses, what they open, who holds them, and what became of them. The same is to be had by GraphQL at `/graphql`,',
    'together with what has no REST endpoint: custom fields, API keys, jobs, bulk changes. The bot API is another',
    'document, on its own port (`SERVER.API.PORT`).',
    '',
    '- **Keys.** `Authorization: Bearer <API key>`; each endpoint names the scope that its key needs.',
    '- **Lists** are bare arrays, complete and streamed. `limit` and `cursor` page them; `Link` leads to the next page.',
    '- **Reading** also takes its parameters in a JSON body. The query wins; prefer it.',
    '- **Changes** (PATCH) leave what is absent, and clear what is `null`.',
    '- **Errors** are problem details (RFC 9457). Decide by `code`.',
    '- **Changes of this API** only add. Ignore members that you do not know.',
  ].join('\n'),
  tags: [
    { name: 'Licenses', prefixes: ['/licenses'], description: 'Create, change and validate licenses.' },
    { name: 'Products', prefixes: ['/products'], description: 'What is licensed.' },
    { name: 'Customers', prefixes: ['/customers'], description: 'Who holds licenses.' },
    { name: 'Addons', prefixes: ['/addons'], description: 'What a license may hold beside its product.' },
    {
      name: 'Whitelists',
      prefixes: ['/whitelists'],
      description: 'What binds a license to machines, accounts or addresses.',
    },
    {
      name: 'Rules',
      prefixes: ['/rules'],
      description: 'What allows, denies or warns by version, address, country, header, agent or time.',
    },
    { name: 'Variables', prefixes: ['/variables'], description: 'Settings that come along with a verdict.' },
    { name: 'Sessions', prefixes: ['/sessions'], description: 'Seats in use.' },
    { name: 'Users', prefixes: ['/users'], description: 'People, and what is theirs.' },
    { name: 'Identities', prefixes: ['/identities'], description: 'Who users are elsewhere.' },
    { name: 'Files', prefixes: ['/files'], description: 'What can be downloaded.' },
    {
      name: 'Downloads',
      prefixes: ['/downloads', '/download'],
      description: 'Links to files, counted and traced.',
    },
    { name: 'Marketplace', prefixes: ['/marketplace'], description: 'Purchases on marketplaces.' },
    { name: 'Webhooks', prefixes: ['/webhooks'], description: 'Telling other systems.' },
    { name: 'Logs', prefixes: ['/logs'], description: 'Requests and changes.' },
    { name: 'Keys', prefixes: ['/keys'], description: 'What verifies signatures.' },
    { name: 'Operations', prefixes: ['/health', '/metrics'], description: 'For probes and Prometheus.' },
  ],
  keyScheme: SCHEME,
  securitySchemes: {
    [SCHEME]: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'lsk_<id>_<secret>',
      description: 'An API key. Each endpoint names the scope that it needs; `*` is all of them.',
    },
    marketplaceSecret: {
      type: 'http',
      scheme: 'bearer',
      description: '`MARKETPLACE.SECRET`. It may also come as `secret` in the body.',
    },
    marketplaceQuery: {
      type: 'apiKey',
      in: 'query',
      name: 'secret',
      description: '`MARKETPLACE.SECRET` in the query.',
    },
    marketplaceSignature: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Polymart-Signature',
      description: 'Hex HMAC-SHA256 of the raw body, with `MARKETPLACE.SECRET`.',
    },
  },
  routes: { ...catalogNotes, ...licenseNotes, ...deliveryNotes },
  codes: licensingCodes,
  records: licensingRecords,
  beside: {
    ...healthOperations('Operations'),
    'GET /metrics': metricsOperation('Operations', SCHEME, 'jobs:read'),
  },
  webhooks: webhookRequests,
};
