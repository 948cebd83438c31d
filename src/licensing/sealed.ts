import type { SealedPlace } from '../platform/secrets/sealed-place.js';

/** Where this context keeps secrets that it must be able to read. */
export const licensingSealed: readonly SealedPlace[] = [
  {
    table: 'webhook',
    key: ['id'],
    columns: [
      { name: 'sealed_headers', type: 'text' },
      { name: 'sealed_secret', type: 'text' },
      { name: 'old_sealed_secret', type: 'text' },
    ],
  },
  { table: 'signing_key', key: ['kid'], columns: [{ name: 'sealed_private_key', type: 'text' }] },
];
