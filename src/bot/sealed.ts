import type { SealedPlace } from '../platform/secrets/sealed-place.js';

/** Where this context keeps secrets that it must be able to read: settings of the type `secret`. */
export const botSealed: readonly SealedPlace[] = [
  { table: 'bot_module', key: ['id'], columns: [{ name: 'config', type: 'jsonb' }] },
];
