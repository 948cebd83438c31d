import type { JsonSchema, RouteNotes } from '../../platform/rest/openapi/notes.js';
import { VERDICT_CODES } from '../licenses/validation/verdict.rules.js';

const NOT_VALID = Object.keys(VERDICT_CODES).filter((code) => code !== 'NOT_FOUND' && code !== 'VALID');

const text = { type: ['string', 'number', 'null'] };
/** As sellers' templates and BuiltByBit send it; Polymart's own messages have `event`, `time`, `nonce` and `payload`. */
const NOTICE: JsonSchema = {
  type: 'object',
  description: 'Every member may come as text. What is sent under other names is kept too.',
  properties: {
    secret: { type: 'string', description: 'The configured secret, unless it comes another way.' },
    ...Object.fromEntries(
      [
        ...['sale_id', 'purchase_id', 'resource_id', 'purchaser_id', 'user_id', 'username'],
        ...['marketplace_license_id', 'license_id', 'addon_id', 'price', 'final_price', 'currency'],
        ...['purchase_date', 'status'],
      ].map((name) => [name, text]),
    ),
    renewal: { type: ['boolean', 'string', 'number', 'null'] },
  },
  additionalProperties: true,
};

const MARKETPLACE = [
  { marketplaceSecret: [] },
  { marketplaceQuery: [] },
  { marketplaceSignature: [] },
  // The secret in the body, which OpenAPI has no word for.
  {},
];

/** Files, downloads, and what is told to and by others. */
export const deliveryNotes: Readonly<Record<string, RouteNotes>> = {
  'POST /files': {
    summary: 'Create a file',
    body: {
      name: 'plot-guard',
      product: 'Plot Guard',
      repo: 'acme/plot-guard',
      asset: 'plot-guard.jar',
    },
    codes: ['ALREADY_EXISTS'],
  },
  'GET /files': { summary: 'List files', parameters: { name: 'plot-guard' } },
  'PATCH /files': {
    summary: 'Change a file',
    body: { name: 'plot-guard', prerelease: true },
    codes: ['FILE_NOT_FOUND', 'ALREADY_EXISTS'],
  },
  'DELETE /files': { summary: 'Delete a file', body: { name: 'plot-guard' }, codes: ['FILE_NOT_FOUND'] },
  'GET /files/repos': { summary: "List the storage provider's repositories" },
  'POST /downloads/issue': {
    summary: 'Issue a download link',
    description:
      'Runs the whole validation for the version that is delivered. It takes no seat and binds nothing.',
    body: { license_key: 'PLOTGUARD-ADA-0001', file: 'plot-guard', hwid: 'machine-1', max_uses: 3 },
    fields: {
      max_uses: { minimum: 1, maximum: 100, default: 1 },
      expires_in: { minimum: 60, maximum: 604800, default: 3600 },
    },
    codes: [
      ...['LICENSE_NOT_FOUND', 'FILE_NOT_FOUND', 'VERSION_NOT_FOUND'],
      ...[...NOT_VALID, 'ADDON_REQUIRED', 'FILE_NOT_ISSUABLE'],
    ],
  },
  'GET /download/:token': {
    summary: 'Download a file',
    description:
      'Takes one use before its first byte, and gives it back if the transfer breaks off. `HEAD` takes none.',
    parameters: { token: 'kX2v9QeT7bLwYc4mRz8sNa' },
    codes: [
      ...['DOWNLOAD_NOT_FOUND', 'LICENSE_NOT_FOUND', 'FILE_NOT_FOUND'],
      ...['DOWNLOAD_REVOKED', 'DOWNLOAD_EXPIRED', 'DOWNLOAD_EXHAUSTED'],
      ...['BANNED', 'REVOKED', 'SUSPENDED', 'EXPIRED'],
    ],
  },
  'GET /downloads': { summary: 'List builds', parameters: { product: 'Plot Guard' } },
  'POST /downloads/revoke': {
    summary: 'Revoke a download link',
    body: { build_id: 'bld_3vT9mKq2XwZr' },
    codes: ['DOWNLOAD_NOT_FOUND'],
  },
  'DELETE /downloads': {
    summary: 'Delete a build',
    body: { build_id: 'bld_3vT9mKq2XwZr' },
    codes: ['DOWNLOAD_NOT_FOUND'],
  },
  'POST /webhooks': {
    summary: 'Create a webhook target',
    body: { name: 'shop', url: 'https://hooks.example.com/licensing', events: ['license.*', 'purchase.*'] },
    codes: ['ALREADY_EXISTS'],
  },
  'GET /webhooks': {
    summary: 'List webhook targets',
    description:
      'For a key without `licensing:write`, `secret` is null and the values of `headers` are masked.',
    parameters: { name: 'shop' },
  },
  'PATCH /webhooks': {
    summary: 'Change a webhook target',
    body: { name: 'shop', headers: { 'X-Shop': 'licensing' } },
    codes: ['WEBHOOK_NOT_FOUND', 'ALREADY_EXISTS'],
  },
  'DELETE /webhooks': {
    summary: 'Delete a webhook target',
    body: { name: 'shop' },
    codes: ['WEBHOOK_NOT_FOUND'],
  },
  'POST /webhooks/rotate': {
    summary: "Rotate a webhook target's secret",
    body: { name: 'shop' },
    codes: ['WEBHOOK_NOT_FOUND'],
  },
  'POST /webhooks/test': {
    summary: 'Send a webhook target a test',
    body: { name: 'shop' },
    codes: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_INCOMPLETE'],
  },
  'GET /webhooks/deliveries': { summary: 'List webhook deliveries', parameters: { webhook: 'shop' } },
  'POST /webhooks/deliveries/retry': {
    summary: 'Send a delivery again',
    body: { id: 1 },
    codes: ['WEBHOOK_DELIVERY_NOT_FOUND', 'IN_USE', 'WEBHOOK_DISABLED'],
  },
  'POST /marketplace/webhook': {
    summary: 'Take the notice of a purchase',
    body: {
      secret: 'the secret of MARKETPLACE.SECRET',
      sale_id: 'sale-1001',
      resource_id: '4711',
      purchaser_id: '99',
      username: 'ada',
      price: '14.99',
      currency: 'EUR',
    },
    bodySchema: NOTICE,
    security: MARKETPLACE,
    codes: ['MARKETPLACE_SECRET_INVALID', 'MARKETPLACE_NOT_CONFIGURED'],
    optional: ['duplicate'],
    answers: (result, example) => ({
      200: {
        description: 'It is stored; a repeat gets the same answer, with `duplicate: true`',
        content: { 'application/json': { schema: result, example } },
      },
    }),
  },
  'POST /marketplace/placeholder': {
    summary: 'Get the key that goes into a download',
    description: 'Every failure is a 4xx: the marketplace would take any 200 body for a key.',
    body: { secret: 'the secret of MARKETPLACE.SECRET', resource_id: '4711', purchaser_id: '99' },
    bodySchema: NOTICE,
    security: MARKETPLACE,
    codes: [
      ...['MARKETPLACE_SECRET_INVALID', 'MARKETPLACE_NOT_CONFIGURED'],
      ...['MARKETPLACE_MAPPING_NOT_FOUND', 'LICENSE_NOT_FOUND'],
    ],
    answers: () => ({
      200: {
        description: 'The key and nothing else; JSON for Polymart',
        content: {
          'text/plain': { schema: { type: 'string' }, example: 'K7QWX-3M9TA-0VHEN-5P2RD-8CGJB' },
          'application/json': {
            schema: { type: 'object', required: ['value'], properties: { value: { type: 'string' } } },
            example: { value: 'K7QWX-3M9TA-0VHEN-5P2RD-8CGJB' },
          },
        },
      },
    }),
  },
  'GET /marketplace/purchases': { summary: 'List purchases', parameters: { sale_id: 'sale-1001' } },
  'POST /marketplace/claim': {
    summary: 'Claim a purchase for a user',
    body: { user_id: 'usr_ada', redeem: 'sale-1001' },
    codes: [
      ...['PURCHASE_NOT_FOUND', 'USER_NOT_FOUND'],
      ...['ALREADY_CLAIMED', 'PURCHASE_PENDING', 'PURCHASE_REFUNDED'],
    ],
  },
  'GET /logs': {
    summary: 'Read a log',
    parameters: { type: 'requests', limit: 10 },
    fields: { page: { minimum: 1, default: 1 }, limit: { minimum: 1, maximum: 100, default: 50 } },
  },
  'DELETE /logs': {
    summary: 'Clear a log',
    byQuery: true,
    parameters: { type: 'requests' },
  },
};
