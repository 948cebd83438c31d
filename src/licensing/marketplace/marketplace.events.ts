export const marketplaceEvents = [
  'purchase.received',
  'purchase.claimed',
  'purchase.released',
  'purchase.renewed',
  'purchase.refunded',
  'purchase.failed',
  'marketplace_mapping.created',
  'marketplace_mapping.updated',
  'marketplace_mapping.deleted',
] as const;
