export const licenseEvents = [
  'license.created',
  'license.updated',
  'license.deleted',
  'license.suspended',
  'license.reinstated',
  'license.revoked',
  'license.expiring',
  'license.expired',
  'license.validation.succeeded',
  'license.validation.failed',
] as const;
