import { DomainError } from '../errors.js';

const REASONS = {
  RESYNC_NEEDED:
    'The connection to the database was lost for a moment: subscribe again, and read the present state',
  SUBSCRIBER_TOO_SLOW: 'More was told than you took: subscribe again, and read the present state',
} as const;

/** A subscription that has a gap. It ends with this, rather than going on as if nothing were missing. */
export class SubscriptionCut extends DomainError {
  constructor(reason: keyof typeof REASONS) {
    super(reason, 503, 'Subscription cut', REASONS[reason]);
    this.name = 'SubscriptionCut';
  }
}
