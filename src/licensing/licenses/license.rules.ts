import { UNLIMITED_SEATS } from './license.entity.js';

export const allowedSeats = `must be ${UNLIMITED_SEATS} (unlimited) or more than 0`;

/** How many sessions may be open at once. */
export function isSeats(seats: number): boolean {
  return seats === UNLIMITED_SEATS || seats > 0;
}
