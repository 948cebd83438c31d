import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../../platform/context.js';
import { emitMany } from '../../events.js';
import { licensesDataTogether } from '../license-data.repository.js';
import { maskKey } from '../license-key.rules.js';
import { takeExpiryNotices } from './expiry-notice.repository.js';

/** Few enough that a validation which needs the lock of one of these licenses hardly waits. */
const BATCH = 200;

/**
 * Announces one batch of `license.expiring` (3 days ahead) and `license.expired`, each once for a date: what is taken
 * and what is announced is one transaction. Resolves to whether the batch was full, so that the caller goes on until
 * one is not. Safe to run twice and on two workers.
 */
export async function announceExpiries(em: EntityManager, ctx: ActionContext): Promise<{ isFull: boolean }> {
  return em.transactional(async (tx) => {
    const notices = await takeExpiryNotices(tx, ctx.clock.now(), BATCH);
    const dataOf = licensesDataTogether(
      tx,
      notices.map(({ licenseId }) => licenseId),
    );
    for (const [event, those] of Map.groupBy(notices, (notice) => notice.event)) {
      const emissions = those.map(({ licenseId, key }) => ({
        resource: { type: 'license', id: maskKey(key) },
        data: dataOf(licenseId),
      }));
      await emitMany(tx, ctx, event, emissions);
    }
    return { isFull: notices.length === BATCH };
  });
}
