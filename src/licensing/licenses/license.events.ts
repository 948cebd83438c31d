export const licenseEvents = [
  'license.created',
  'license.updated',
  'license.deleted',
  'license.suspended',
  'license.reinstated',
  'license.revoked',
] as const;
