import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { enqueueSettling } from './account.repository.js';

export interface ReplayInput {
  /** Only these; they are settled again whether or not anything is in their way. */
  readonly saleIds?: readonly string[] | null;
  /** Only those of this resource. */
  readonly resourceId?: string | null;
}

/** Has purchases settled again by jobs: those named, or else those which something was in the way of. How many. */
export function replayPurchases(em: EntityManager, { saleIds, resourceId }: ReplayInput): Promise<number> {
  const named =
    saleIds == null
      ? sql`(problem is not null or settled_revision < revision)`
      : sql`sale_id = any(${saleIds})`;
  const ofResource = resourceId == null ? sql`` : sql`and resource_id = ${resourceId}`;
  return enqueueSettling(em, sql<boolean>`${named} ${ofResource}`);
}
