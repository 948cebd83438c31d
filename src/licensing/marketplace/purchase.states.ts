import type { PurchaseStatus } from './purchase.entity.js';

/**
 * A purchase is always one of these. What a marketplace says and what it said before may come in any order; a move that
 * isn't listed is never made.
 *   pending            → claimed      a user claimed its license
 *   pending            → failed       no product is mapped to its resource
 *   failed             → pending      the mapping was made, or its license was already claimed: claimed
 *   claimed            → pending      its user was deleted; another may claim it
 *   any but chargeback → refunded     the marketplace took it back
 *   any                → chargeback   the buyer's bank did, also after a refund
 */
export const PURCHASE_MOVES = {
  pending: ['claimed', 'failed', 'refunded', 'chargeback'],
  claimed: ['pending', 'refunded', 'chargeback'],
  failed: ['pending', 'claimed', 'refunded', 'chargeback'],
  refunded: ['chargeback'],
  chargeback: [],
} as const satisfies Record<PurchaseStatus, readonly PurchaseStatus[]>;

/** Where a purchase stands after what is known of it would put it somewhere: there, or where it is if it can't go. */
export function movedTo(from: PurchaseStatus, to: PurchaseStatus): PurchaseStatus {
  return (PURCHASE_MOVES[from] as readonly PurchaseStatus[]).includes(to) ? to : from;
}
