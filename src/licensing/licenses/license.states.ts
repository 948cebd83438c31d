import type { LicensingEvent } from '../events.js';
import type { LicenseStatus } from './license.entity.js';

/**
 * A license is always one of these; an administrator moves it freely between them, so that a mistake can be undone.
 *   active    the validation goes on to the other checks
 *   suspended every validation says SUSPENDED, until it is reinstated
 *   revoked   every validation says REVOKED
 * The event says where it arrived.
 */
export const STATUS_EVENTS = {
  active: 'license.reinstated',
  suspended: 'license.suspended',
  revoked: 'license.revoked',
} as const satisfies Record<LicenseStatus, LicensingEvent>;
