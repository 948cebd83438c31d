import type { DeliveryStatus } from './webhook-delivery.entity.js';

/**
 * A delivery is always one of these.
 *   pending, retrying  → delivering   a worker takes it when it is due
 *   delivering         → delivering   another worker takes it: the first one's lease ran out
 *   delivering         → delivered    any 2xx
 *   delivering         → retrying     anything else, while attempts remain
 *   delivering         → failed       attempts are used up, the target says 410 Gone, or it was a test
 *   delivering         → pending      the worker gave it back before its first attempt; `retrying` before a later one
 *   all that are open  → skipped      the target was disabled or deleted
 *   all that are ended → pending      somebody sends it again, on a fresh schedule
 */
export const DELIVERY_MOVES = {
  pending: ['delivering', 'skipped'],
  retrying: ['delivering', 'skipped'],
  delivering: ['delivering', 'delivered', 'retrying', 'failed', 'pending', 'skipped'],
  delivered: ['pending'],
  failed: ['pending'],
  skipped: ['pending'],
} as const satisfies Record<DeliveryStatus, readonly DeliveryStatus[]>;

/** The statuses from which a delivery may move to another, for the conditions of statements. */
export function statusesBefore(to: DeliveryStatus): DeliveryStatus[] {
  const statuses = Object.keys(DELIVERY_MOVES) as DeliveryStatus[];
  return statuses.filter((from) => (DELIVERY_MOVES[from] as readonly DeliveryStatus[]).includes(to));
}

/** Nothing more happens to it by itself. */
export const ENDED_STATUSES = ['delivered', 'failed', 'skipped'] as const satisfies DeliveryStatus[];

/** Whoever waits for its time, with nobody at work on it. */
export const WAITING_STATUSES = ['pending', 'retrying'] as const satisfies DeliveryStatus[];
