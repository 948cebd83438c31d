export const downloadEvents = [
  'download.issued',
  'download.delivered',
  'download.revoked',
  'download.expired',
  'download.deleted',
] as const;
